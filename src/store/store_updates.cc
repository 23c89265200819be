// Updates in the log: room for them, appending, and group commit.
#include "store/store.h"

#include <algorithm>

#include "base/assert.h"
#include "base/mutant.h"
#include "layout/shard_header.h"

namespace parapet::store {
namespace {

using layout::RecordKind;
using layout::SegmentId;
using layout::UpdateId;

/// Bytes of the log that are kept for those who cannot wait: recovery, and changes of slots while others wait for them.
std::size_t slack_of(std::size_t log_size) { return std::min<std::size_t>(log_size / 8, 1 << 20); }

std::size_t padded(std::size_t size) { return size + layout::block_size; }

}  // namespace

std::size_t Store::move_cost(const Chunk& chunk) const {
  const std::size_t pages = layout::tag_size(chunk.shape.tag) + layout::table_page_size;
  return padded(layout::record_size(RecordKind::pages, 2, static_cast<std::uint32_t>(pages)));
}

std::size_t Store::slot_change_cost(SegmentId segment) const {
  std::size_t pages = layout::table_page_size;
  if (const auto it = chunks_.find(segment); it != chunks_.end()) pages += layout::tag_size(it->second->shape.tag);
  return padded(layout::record_size(RecordKind::pages, 2, static_cast<std::uint32_t>(pages)));
}

std::size_t Store::unreserved() const {
  const std::size_t free = log_.free_size();
  return free > reserved_ ? free - reserved_ : 0;
}

std::size_t Store::room() const {
  const std::size_t slack = slack_of(log_.size());
  return unreserved() > slack ? unreserved() - slack : 0;
}

Result<std::size_t> Store::wait_for_room(env::Lock& lock, std::size_t size) {
  ++waiting_;
  if (room() < size) wake_mover();
  while (!given_up_ && room() < size && !base::broken(base::Mutant::no_space_reserved)) room_grew_->wait(lock);
  --waiting_;
  if (given_up_) return Error{.code = ErrorCode::io_failed, .operation = "write", .reason = "the device has gone out"};
  reserved_ += size;
  return size;
}

Result<std::size_t> Store::reserve_slot_change(SegmentId segment) {
  env::Lock lock(*mutex_);
  return wait_for_room(lock, slot_change_cost(segment));
}

std::optional<std::size_t> Store::try_reserve_slot_change(SegmentId segment) {
  const env::Lock lock(*mutex_);
  const std::size_t size = slot_change_cost(segment);
  if (unreserved() < size) {
    starved_ = true;
    wake_mover();
    return std::nullopt;
  }
  reserved_ += size;
  return size;
}

Result<std::size_t> Store::try_reserve_update(Chunk& chunk, std::size_t record_size) {
  const env::Lock lock(*mutex_);
  const std::size_t size = padded(record_size) + move_cost(chunk);
  if (unreserved() < size)
    return Error{.code = ErrorCode::no_space,
                 .operation = "log",
                 .reason = "no room for an update of {} bytes",
                 .values = {record_size}};
  reserved_ += size;
  return size;
}

Result<std::size_t> Store::reserve_update(Chunk& chunk, std::size_t record_size) {
  env::Lock lock(*mutex_);
  const std::size_t size = padded(record_size) + move_cost(chunk);
  if (size > log_.size() / 4)
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "write",
                 .reason = "an update of {} bytes is too large",
                 .values = {record_size}};
  return wait_for_room(lock, size);
}

void Store::cancel_reservation(std::size_t reserved) {
  const env::Lock lock(*mutex_);
  reserved_ -= reserved;
  tell_room_grew();
}

void Store::append_update(Chunk& chunk, const RecordPtr& record, std::size_t reserved) {
  const env::Lock lock(*mutex_);
  PARAPET_ASSERT(chunk.shape.fits(*record));
  reserved_ -= reserved;
  if (chunk.move_cost == 0 && record->header.length > 0) {
    chunk.move_cost = move_cost(chunk);
    reserved_ += chunk.move_cost;
  }
  log_.append(record, ballot_);
  if (record->header.length == 0) {
    record->freeable_from = 0;
    truncate_chain(chunk, record->header.chain, record->header.id);
    if (chunk.updates.empty()) {
      reserved_ -= chunk.move_cost;
      chunk.move_cost = 0;
    }
  } else {
    add_update(chunk, record);
  }
}

void Store::add_update(Chunk& chunk, const RecordPtr& record) {
  const auto& header = record->header;
  if (chunk.updates.empty()) dirty_.emplace(header.segment, chunks_.at(header.segment));
  chunk.updates.push_back(record);
  chunk.tip[chunk.shape.chain_index(header.chain)] = header.id;
  unmoved_[chunk.shape.parity] += record->size();
  if (chunk.shape.parity) return;
  const std::uint32_t first = header.offset / layout::block_size;
  for (std::uint32_t i = 0; i < record->checksums.size(); ++i) chunk.newest[first + i] = record;
}

void Store::drop_updates(Chunk& chunk, const std::vector<RecordPtr>& records, layout::Lsn freeable_from) {
  for (const RecordPtr& record : records) {
    unmoved_[chunk.shape.parity] -= record->size();
    record->freeable_from = freeable_from;
  }
  const auto dropped = [](const RecordPtr& record) { return record->freeable_from != Record::needed; };
  std::erase_if(chunk.updates, dropped);
  std::erase_if(chunk.newest, [&](const auto& entry) { return dropped(entry.second); });
  if (chunk.updates.empty()) dirty_.erase(chunk.tag.segment);
}

void Store::truncate_chain(Chunk& chunk, unsigned chain, UpdateId last) {
  std::vector<RecordPtr> beyond;
  for (const RecordPtr& record : chunk.updates)
    if (record->header.chain == chain && record->header.id > last) beyond.push_back(record);
  if (beyond.empty()) return;
  drop_updates(chunk, beyond, 0);
  chunk.tip[chunk.shape.chain_index(chain)] = last;
  if (chunk.shape.parity) return;
  chunk.newest.clear();
  for (const RecordPtr& record : chunk.updates)
    for (std::uint32_t i = 0; i < record->checksums.size(); ++i)
      chunk.newest[record->header.offset / layout::block_size + i] = record;
}

std::vector<RecordPtr> Store::uncommitted(Chunk& chunk) {
  const env::Lock lock(*mutex_);
  std::vector<RecordPtr> records;
  for (const RecordPtr& record : chunk.updates)
    if (record->header.id > chunk.committed[chunk.shape.chain_index(record->header.chain)]) records.push_back(record);
  return records;
}

void Store::mark_lacking(Chunk& chunk, const layout::HolderSet& holders, bool uncommitted_only) {
  const env::Lock lock(*mutex_);
  for (const RecordPtr& record : chunk.updates) {
    const bool committed = record->header.id <= chunk.committed[chunk.shape.chain_index(record->header.chain)];
    if (base::broken(base::Mutant::forget_uncommitted_lack)) continue;
    if (!(uncommitted_only && committed)) record->lacking = record->lacking | holders;
  }
}

void Store::give_up() {
  const env::Lock lock(*mutex_);
  given_up_ = true;
  room_grew_->notify_all();
}

bool Store::close_batch() {
  const env::Lock lock(*mutex_);
  return log_.close_batch();
}

void Store::batch_written() {
  const env::Lock lock(*mutex_);
  log_.batch_written();
}

void Store::mark_committed(std::span<const Committed> marks) {
  const env::Lock lock(*mutex_);
  for (const auto& [chunk, chain, id] : marks) {
    UpdateId& committed = chunk->committed[chunk->shape.chain_index(chain)];
    committed = std::max(committed, id);
  }
  // Movers wait for committed updates.
  wake_mover();
}

}  // namespace parapet::store

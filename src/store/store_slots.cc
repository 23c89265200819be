// The chunk table: making, changing and removing slots.
#include "store/store.h"

#include "base/assert.h"
#include "base/mutant.h"
#include "base/try.h"
#include "store/chunk_loader.h"
#include "store/io_time.h"

namespace parapet::store {

using layout::ChunkSlot;
using layout::RecordKind;
using layout::SegmentId;

std::optional<ChunkSlot> Store::slot(SegmentId segment) {
  const env::Lock lock(*mutex_);
  const auto index = table_.find(segment);
  return index ? std::optional(table_[*index]) : std::nullopt;
}

std::vector<SegmentId> Store::segments() {
  const env::Lock lock(*mutex_);
  std::vector<SegmentId> result;
  for (const auto& [segment, index] : table_.segments()) result.push_back(segment);
  return result;
}

std::vector<SegmentId> Store::segments_in_log() {
  const env::Lock lock(*mutex_);
  std::vector<SegmentId> result;
  for (const auto& [segment, chunk] : chunks_)
    if (!chunk->updates.empty()) result.push_back(segment);
  result.insert(result.end(), damaged_.begin(), damaged_.end());
  return result;
}

Result<void> Store::allocate_chunk(ChunkSlot slot, std::size_t reserve_size) {
  const env::Lock lock(*mutex_);
  const auto index = table_.find_free();
  if (!index || table_.find(slot.segment))
    return Error{.code = ErrorCode::no_space, .operation = "allocate", .reason = "the chunk table is full"};
  slot.home.unit_count = 1u << 30;  // Large enough for the check of the shape; the true one is set below.
  PARAPET_TRY(ChunkShape shape, shape_of(slot));
  const std::uint32_t unit_count = home_unit_count(shape, reserve_size);
  const auto home = space_.allocate(unit_count, unit_count);
  if (!home)
    return Error{.code = ErrorCode::no_space,
                 .operation = "allocate",
                 .reason = "no {} contiguous units of 64 KiB are free on the device",
                 .values = {unit_count}};
  slot.home = *home;
  auto chunk = std::make_shared<Chunk>(*index, std::move(shape));
  chunk->tag = layout::ChunkTag(slot.segment, slot.chunk, chunk->shape.tag);
  chunks_[slot.segment] = std::move(chunk);
  table_.set(*index, std::move(slot));
  return {};
}

void Store::fill_allocated(SegmentId segment, const layout::ChunkTag& tag, const env::IoBuffer& bytes,
                           env::IoBatch& io) {
  const env::Lock lock(*mutex_);
  Chunk& chunk = *chunks_.at(segment);
  chunk.tag = tag;
  chunk.committed = chunk.tip = tag.reserved;
  const std::uint64_t home = home_offset(table_[chunk.slot_index]);
  if (base::broken(base::Mutant::count_before_durable)) {
    io.write(disk_, home, bytes);
  } else {
    io.write_durable(disk_, home, bytes);
  }
}

void Store::cancel_allocation(SegmentId segment) {
  const env::Lock lock(*mutex_);
  const auto index = table_.find(segment);
  if (!index) return;
  space_.free_now(table_[*index].home);
  table_.set(*index, {});
  chunks_.erase(segment);
}

void Store::append_slot(SegmentId segment, std::size_t reserved, const std::function<void(ChunkSlot&)>& change) {
  const env::Lock lock(*mutex_);
  reserved_ -= reserved;
  const auto index = table_.find(segment);
  PARAPET_ASSERT(index);
  const ChunkSlot before = table_[*index];
  ChunkSlot slot = before;
  change(slot);
  table_.set(*index, slot);
  auto record = std::make_shared<Record>();
  record->header.kind = RecordKind::pages;
  const auto page = table_.page_image(*index);
  Bytes payload(page.begin(), page.end());
  record->places.push_back({table_page_offset(ChunkTable::page_of(*index)), page.size()});
  if (slot.state == layout::SlotState::creating) {
    const Chunk& chunk = *chunks_.at(segment);
    const std::size_t size = layout::tag_size(chunk.shape.tag);
    payload.resize(page.size() + size);
    layout::encode_tag(chunk.tag, chunk.shape.tag, std::span(payload).subspan(page.size()));
    record->places.push_back({home_offset(slot) + chunk.shape.chunk_size, size});
  }
  record->payload = shared_bytes(payload);
  append_pages(record);
}

void Store::append_removal(SegmentId segment, std::size_t reserved) {
  const env::Lock lock(*mutex_);
  reserved_ -= reserved;
  const auto index = table_.find(segment);
  if (!index) return;
  const layout::Extent home = table_[*index].home;
  table_.set(*index, {});
  auto record = std::make_shared<Record>();
  record->header.kind = RecordKind::pages;
  const auto page = table_.page_image(*index);
  record->places.push_back({table_page_offset(ChunkTable::page_of(*index)), page.size()});
  record->payload = shared_bytes(page);
  append_pages(record);
  drop_all_updates(segment, record->header.lsn + 1);
  chunks_.erase(segment);
  damaged_.erase(segment);
  space_.give_back(home, record->header.lsn);
}

void Store::drop_all_updates(SegmentId segment, layout::Lsn freeable_from) {
  const auto it = chunks_.find(segment);
  if (it == chunks_.end()) return;
  Chunk& chunk = *it->second;
  PARAPET_ASSERT(!chunk.moving);
  chunk.given_up = true;
  drop_updates(chunk, {chunk.updates.begin(), chunk.updates.end()}, freeable_from);
  reserved_ -= chunk.move_cost;
  chunk.move_cost = 0;
}

void Store::forget_updates(SegmentId segment) {
  env::Lock lock(*mutex_);
  for (auto it = chunks_.find(segment); it != chunks_.end() && it->second->pins > 0; it = chunks_.find(segment))
    unpinned_->wait(lock);
  drop_all_updates(segment);
  unpinned_->notify_all();
  tell_room_grew();
}

void Store::append_pages(const RecordPtr& record) {
  log_.append(record, ballot_);
  images_.add(record);
}

bool Store::idle(const Chunk& chunk) {
  const env::Lock lock(*mutex_);
  return chunk.updates.empty() && !chunk.moving && !chunk.given_up && chunk.pins == 0;
}

void Store::unload(SegmentId segment) {
  const env::Lock lock(*mutex_);
  const auto it = chunks_.find(segment);
  if (it == chunks_.end()) return;
  PARAPET_ASSERT(it->second.use_count() == 1 && it->second->updates.empty());
  chunks_.erase(it);
}

Result<ChunkPtr> Store::chunk(SegmentId segment) {
  ChunkLoader loader(*this, segment);
  env::IoBatch io(world_);
  loader.add_read(io);
  io.run(world_.now() + io_time_max);
  return loader.finish(io);
}

}  // namespace parapet::store

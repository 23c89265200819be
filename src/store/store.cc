#include "store/store.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "store/io_time.h"

namespace parapet::store {
namespace {

using layout::ChunkSlot;
using layout::RecordKind;
using layout::SegmentId;
using layout::UpdateId;

constexpr std::size_t format_step = 1 << 20;

Result<void> write_zeros(env::World& world, env::Disk& disk, std::uint64_t begin, std::uint64_t end) {
  const env::IoBuffer zeros(std::min<std::uint64_t>(format_step, end - begin));
  std::memset(zeros.data(), 0, zeros.size());
  for (std::uint64_t offset = begin; offset < end; offset += zeros.size()) {
    env::IoBatch io(world);
    io.write(disk, offset, zeros.part(0, std::min<std::uint64_t>(zeros.size(), end - offset)));
    io.run(world.now() + io_time_max);
    PARAPET_CHECK(io.first_error());
  }
  return {};
}

Result<void> write_superblock(env::World& world, env::Disk& disk, const layout::Superblock& superblock) {
  const env::IoBuffer block(layout::superblock_size);
  const auto bytes = layout::encode_superblock(superblock);
  std::memcpy(block.data(), bytes.data(), bytes.size());
  env::IoBatch io(world);
  const std::uint64_t pair = base::broken(base::Mutant::one_superblock) ? 0 : superblock.sequence;
  for (std::uint64_t offset : layout::superblock_offsets(pair)) io.write_durable(disk, offset, block);
  io.run(world.now() + io_time_max);
  return io.first_error();
}

Result<layout::Superblock> read_superblock(env::World& world, env::Disk& disk) {
  const env::IoBuffer area(layout::superblock_area_size);
  env::IoBatch io(world);
  io.read(disk, 0, area);
  io.run(world.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  return layout::newest_superblock(area.span());
}

/// Bytes of the log that are kept for those who cannot wait: recovery, and changes of slots while others wait for them.
std::size_t slack_of(std::size_t log_size) { return std::min<std::size_t>(log_size / 8, 1 << 20); }

/// Whether a record's counts and sizes are those of an update of this chunk.
bool fits(const Chunk& chunk, const Record& record) {
  const auto& header = record.header;
  if (!chunk.shape.holds_chain(header.chain) || header.offset > chunk.shape.chunk_size ||
      header.length > chunk.shape.chunk_size - header.offset)
    return false;
  if ((header.kind == RecordKind::delta) != chunk.shape.parity) return false;
  if (header.length == 0) return record.payload->empty() && record.checksums.empty();
  const std::size_t first = header.offset / layout::block_size;
  const std::size_t last = (header.offset + header.length - 1) / layout::block_size;
  if (record.checksums.size() != last - first + 1) return false;
  return record.payload->size() == (chunk.shape.parity ? header.length : (last - first + 1) * layout::block_size);
}

std::size_t padded(std::size_t size) { return size + layout::block_size; }

}  // namespace

std::size_t reserve_offset(const ChunkShape& shape) { return shape.chunk_size + layout::tag_size(shape.tag); }

std::size_t reserve_capacity(const ChunkShape& shape, const ChunkSlot& slot) {
  return std::size_t{slot.home.unit_count} * layout::unit_size - reserve_offset(shape);
}

std::uint32_t home_unit_count(const ChunkShape& shape, std::size_t reserve_size) {
  const std::size_t size = reserve_offset(shape) + reserve_size;
  return static_cast<std::uint32_t>((size + layout::unit_size - 1) / layout::unit_size);
}

Store::Store(env::World& world, env::Disk& disk, CodeCache& codes, layout::Superblock superblock)
    : world_(world),
      disk_(disk),
      codes_(codes),
      geometry_(superblock.geometry),
      superblock_mutex_(world.make_mutex()),
      superblock_(std::move(superblock)),
      load_mutex_(world.make_mutex()),
      mutex_(world.make_mutex()),
      changed_(world.make_cond_var()),
      table_(geometry_.table_page_count),
      space_(geometry_.unit_count),
      log_(disk, geometry_, {superblock_.pool, superblock_.ordinal}) {}

// --- identity
// ---------------------------------------------------------------------------------------------------------

Result<layout::Superblock> Store::identify(env::World& world, env::Disk& disk) {
  if (disk.size() < layout::superblock_area_size)
    return Error{.code = ErrorCode::not_found, .operation = "device", .reason = "it is too small for a Parapet device"};
  auto read = read_superblock(world, disk);
  if (!read) read = read_superblock(world, disk);  // A read that went astray once does not again.
  PARAPET_TRY(auto superblock, read);
  if (superblock.geometry.device_size > disk.size())
    return Error{.code = ErrorCode::corrupt,
                 .operation = "device",
                 .reason = "it has {} bytes, and had {} when it was made",
                 .values = {disk.size(), superblock.geometry.device_size}};
  return superblock;
}

Result<void> Store::format(env::World& world, env::Disk& disk, const layout::Superblock& superblock) {
  const auto& geometry = superblock.geometry;
  PARAPET_CHECK(write_zeros(world, disk, 0, geometry.space_offset));
  env::IoBatch io(world);
  io.flush(disk);
  io.run(world.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  layout::Superblock copy = superblock;
  for (copy.sequence = 0; copy.sequence < 2; ++copy.sequence) {
    PARAPET_CHECK(write_superblock(world, disk, copy));
  }
  return {};
}

layout::Superblock Store::superblock() {
  const env::Lock lock(*superblock_mutex_);
  return superblock_;
}

Result<void> Store::update_superblock(const std::function<void(layout::Superblock&)>& change) {
  const env::Lock lock(*superblock_mutex_);
  layout::Superblock next = superblock_;
  change(next);
  ++next.sequence;
  PARAPET_CHECK(write_superblock(world_, disk_, next));
  superblock_ = next;
  return {};
}

Result<void> Store::flush_device() {
  env::IoBatch io(world_);
  io.flush(disk_);
  io.run(world_.now() + io_time_max);
  return io.first_error();
}

// --- recovery
// ---------------------------------------------------------------------------------------------------------

Result<bool> Store::recover(std::uint32_t ballot) {
  ballot_ = ballot;
  PARAPET_TRY(const Log::Scan scan, log_.scan(world_, superblock_.log_head, superblock_.log_flushed));
  for (const RecordPtr& record : scan.records)
    if (record->header.kind == RecordKind::pages) images_.add(record);
  PARAPET_CHECK(read_table());
  PARAPET_CHECK(take_space());
  PARAPET_CHECK(replay(scan.records));
  return scan.damaged;
}

Result<void> Store::read_table() {
  const std::size_t size = std::size_t{geometry_.table_page_count} * layout::table_page_size;
  const env::IoBuffer pages(size);
  env::IoBatch io(world_);
  for (std::size_t at = 0; at < size; at += format_step)
    io.read(disk_, geometry_.table_offset + at, pages.part(at, std::min(format_step, size - at)));
  io.run(world_.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  for (std::uint32_t page = 0; page < geometry_.table_page_count; ++page) {
    auto bytes = images_.find(table_page_offset(page));
    if (bytes.size() != layout::table_page_size)
      bytes = pages.span().subspan(page * layout::table_page_size, layout::table_page_size);
    PARAPET_TRY(const auto slots, layout::decode_table_page(page, bytes));
    if (!table_.put_page(page, slots))
      return Error{.code = ErrorCode::corrupt, .operation = "chunk table", .reason = "a segment has two slots"};
  }
  return {};
}

Result<void> Store::take_space() {
  for (const auto& [segment, index] : table_.segments())
    if (!space_.take(table_[index].home))
      return Error{.code = ErrorCode::corrupt,
                   .operation = "chunk table",
                   .reason = "the units of segment {} are out of bounds or have two owners",
                   .values = {segment.value}};
  std::vector<std::uint64_t> orphans;
  images_.for_each_place([&](std::uint64_t offset) {
    if (offset < geometry_.space_offset) return;
    const auto unit = static_cast<std::uint32_t>((offset - geometry_.space_offset) / layout::unit_size);
    if (unit >= geometry_.unit_count || !space_.taken(unit)) orphans.push_back(offset);
  });
  for (std::uint64_t offset : orphans) images_.drop_range(offset, offset + 1);
  for (std::uint64_t offset : orphans) {
    const auto unit = static_cast<std::uint32_t>((offset - geometry_.space_offset) / layout::unit_size);
    if (unit < geometry_.unit_count) space_.leave_untaken(unit, log_.flushed() - 1);
  }
  return {};
}

Result<void> Store::replay(const std::vector<RecordPtr>& records) {
  for (const RecordPtr& record : records) {
    if (record->header.kind == RecordKind::pages) continue;
    const auto index = table_.find(record->header.segment);
    record->freeable_from = 0;
    if (!index || damaged_.contains(record->header.segment)) continue;
    auto& chunk = chunks_[record->header.segment];
    if (!chunk) {
      auto loaded = load(*index);
      if (!loaded && loaded.error().code == ErrorCode::io_failed) return loaded.error();
      if (loaded) chunk = std::move(*loaded);
    }
    if (chunk && fits(*chunk, *record)) {
      replay_update(*chunk, record);
    } else {
      damaged_.insert(record->header.segment);
      chunks_.erase(record->header.segment);
    }
  }
  for (const auto& [segment, chunk] : chunks_) {
    if (damaged_.contains(segment)) drop_all_updates(segment);
    if (chunk->updates.empty()) continue;
    chunk->move_cost = move_cost(*chunk);
    reserved_ += chunk->move_cost;
  }
  return {};
}

void Store::replay_update(Chunk& chunk, const RecordPtr& record) {
  const auto& header = record->header;
  const std::size_t chain = chunk.shape.chain_index(header.chain);
  const auto has = [&](UpdateId id) {
    return std::ranges::any_of(
        chunk.updates, [&](const RecordPtr& r) { return r->header.chain == header.chain && r->header.id == id; });
  };
  record->freeable_from = 0;
  if (header.length == 0) return truncate_chain(chunk, header.chain, header.id);
  if (header.id <= chunk.tag.reserved[chain] || has(header.id)) return;
  if (header.from != chunk.tip[chain]) {
    // A later opening goes on from an earlier update: what follows that one was never committed.
    if (header.from != chunk.tag.reserved[chain] && !has(header.from)) {
      damaged_.insert(header.segment);
      return;
    }
    truncate_chain(chunk, header.chain, header.from);
  }
  record->freeable_from = Record::needed;
  add_update(chunk, record);
}

Result<ChunkShape> Store::shape_of(const ChunkSlot& slot) {
  PARAPET_TRY(const Code code, codes_.code(slot.code));
  const layout::Rows rows(code.alpha(), code.packet_size());
  if (code.n() != slot.devices.size() || slot.chunk_size % rows.granule() != 0)
    return Error{.code = ErrorCode::corrupt,
                 .operation = "chunk table",
                 .reason = "the slot of segment {} does not fit its code",
                 .values = {slot.segment.value}};
  ChunkShape shape(code, slot.chunk, slot.chunk_size);
  if (std::size_t{slot.home.unit_count} * layout::unit_size < reserve_offset(shape))
    return Error{.code = ErrorCode::corrupt,
                 .operation = "chunk table",
                 .reason = "the home of segment {} is too small",
                 .values = {slot.segment.value}};
  return shape;
}

Result<ChunkPtr> Store::load(std::size_t slot_index) {
  env::Lock lock(*mutex_);
  const ChunkSlot slot = table_[slot_index];
  PARAPET_TRY(ChunkShape shape, shape_of(slot));
  auto chunk = std::make_shared<Chunk>(slot_index, std::move(shape));
  const env::IoBuffer bytes(layout::tag_size(chunk->shape.tag));
  const std::uint64_t offset = home_offset(slot) + chunk->shape.chunk_size;
  const auto image = images_.find(offset);
  if (image.size() == bytes.size()) std::memcpy(bytes.data(), image.data(), bytes.size());
  lock.unlock();
  if (image.size() != bytes.size()) {
    env::IoBatch io(world_);
    io.read(disk_, offset, bytes);
    io.run(world_.now() + io_time_max);
    PARAPET_CHECK(io.first_error());
  }
  PARAPET_TRY(chunk->tag, layout::decode_tag(slot.segment, slot.chunk, chunk->shape.tag, bytes.span()));
  if (chunk->tag.reserve_used > reserve_capacity(chunk->shape, slot))
    return Error{.code = ErrorCode::corrupt,
                 .operation = "chunk tag",
                 .reason = "the reserve of segment {} chunk {} is larger than its place",
                 .values = {slot.segment.value, slot.chunk}};
  chunk->committed = chunk->tip = chunk->tag.reserved;
  return chunk;
}

// --- the chunk table
// --------------------------------------------------------------------------------------------------

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
  io.write(disk_, home_offset(table_[chunk.slot_index]), bytes);
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
  record->payload = std::make_shared<const Bytes>(std::move(payload));
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
  record->payload = std::make_shared<const Bytes>(page.begin(), page.end());
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
    changed_->wait(lock);
  drop_all_updates(segment);
  changed_->notify_all();
}

void Store::append_pages(const RecordPtr& record) {
  log_.append(record, ballot_);
  images_.add(record);
}

Result<ChunkPtr> Store::chunk(SegmentId segment) {
  const env::Lock loading(*load_mutex_);
  std::size_t index = 0;
  {
    const env::Lock lock(*mutex_);
    const auto found = table_.find(segment);
    if (!found)
      return Error{.code = ErrorCode::not_found,
                   .operation = "segment",
                   .reason = "{} is not on this device",
                   .values = {segment.value}};
    if (damaged_.contains(segment))
      return Error{.code = ErrorCode::corrupt,
                   .operation = "segment",
                   .reason = "the log of a device lacks updates of {}",
                   .values = {segment.value}};
    if (const auto it = chunks_.find(segment); it != chunks_.end()) return it->second;
    index = *found;
  }
  PARAPET_TRY(auto loaded, load(index));
  const env::Lock lock(*mutex_);
  return chunks_[segment] = std::move(loaded);
}

// --- updates
// ----------------------------------------------------------------------------------------------------------

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
  while (!given_up_ && room() < size) {
    changed_->notify_all();
    changed_->wait(lock);
  }
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
    changed_->notify_all();
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
  changed_->notify_all();
}

void Store::append_update(Chunk& chunk, const RecordPtr& record, std::size_t reserved) {
  const env::Lock lock(*mutex_);
  PARAPET_ASSERT(fits(chunk, *record));
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
  changed_->notify_all();
}

// --- group commit
// -----------------------------------------------------------------------------------------------------

bool Store::close_batch(env::IoBatch& io) {
  const env::Lock lock(*mutex_);
  if (log_.open_batch_empty()) return false;
  log_.close_batch(io);
  return true;
}

void Store::repeat_batch(env::IoBatch& io) {
  const env::Lock lock(*mutex_);
  log_.repeat_writes(io);
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
  if (movers_waiting_ > 0 && wanted_(pressure_locked())) changed_->notify_all();
}

// --- background work
// --------------------------------------------------------------------------------------------------

Store::Pressure Store::pressure_locked() const {
  return {log_.size(), log_.used_size(), unmoved_[0], unmoved_[1], waiting_ > 0 || starved_};
}

Store::Pressure Store::pressure() {
  const env::Lock lock(*mutex_);
  return pressure_locked();
}

void Store::wait_for(const std::function<bool(const Pressure&)>& wanted) {
  env::Lock lock(*mutex_);
  wanted_ = wanted;
  ++movers_waiting_;
  while (!wanted(pressure_locked())) changed_->wait(lock);
  --movers_waiting_;
}

void Store::wake() {
  const env::Lock lock(*mutex_);
  changed_->notify_all();
}

std::uint32_t Store::free_unit_count() {
  const env::Lock lock(*mutex_);
  return space_.free_count();
}

SpaceUse Store::space_use() {
  const env::Lock lock(*mutex_);
  SpaceUse use;
  use.free = std::uint64_t{space_.free_count()} * layout::unit_size;
  use.leaving = std::uint64_t{space_.leaving_count()} * layout::unit_size;
  use.taken = std::uint64_t{space_.unit_count()} * layout::unit_size - use.free - use.leaving;
  for (const auto& [segment, chunk] : chunks_) {
    use.reserve_used += chunk->tag.reserve_used;
    for (const RecordPtr& record : chunk->updates)
      if (record->header.id <= chunk->committed[chunk->shape.chain_index(record->header.chain)])
        use.log_foldable += record->size();
  }
  use.log_size = log_.size();
  use.log_used = log_.used_size();
  use.log_reserved = reserved_;
  return use;
}

}  // namespace parapet::store

// Reading a device back: its table, its log, and what follows from them.
#include "store/store.h"

#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "store/chunk_loader.h"
#include "store/io_time.h"

namespace parapet::store {
namespace {

using layout::ChunkSlot;
using layout::RecordKind;
using layout::UpdateId;

constexpr std::uint32_t pages_at_once = (1 << 20) / layout::table_page_size;

}  // namespace

Result<bool> Store::recover(std::uint32_t ballot) {
  ballot_ = ballot;
  PARAPET_TRY(const Log::Scan scan,
              log_.scan(world_, superblock_.log_head, superblock_.log_flushed, superblock_.log_ballot));
  for (const RecordPtr& record : scan.records)
    if (record->header.kind == RecordKind::pages) images_.add(record);
  PARAPET_CHECK(read_table());
  PARAPET_CHECK(take_space());
  PARAPET_CHECK(replay(scan.records));
  return scan.damaged;
}

Result<void> Store::read_table() {
  for (std::uint32_t page = 0; page < geometry_.table_page_count; page += pages_at_once)
    PARAPET_CHECK(read_table_pages(page, std::min(pages_at_once, geometry_.table_page_count - page)));
  return {};
}

Result<void> Store::read_table_pages(std::uint32_t first, std::uint32_t count) {
  const env::IoBuffer pages(count * layout::table_page_size);
  env::IoBatch io(world_);
  io.read(disk_, table_page_offset(first), pages);
  io.run(world_.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  for (std::uint32_t i = 0; i < count; ++i) {
    auto bytes = images_.find(table_page_offset(first + i));
    if (bytes.size() != layout::table_page_size)
      bytes = pages.span().subspan(i * layout::table_page_size, layout::table_page_size);
    PARAPET_TRY(const auto slots, layout::decode_table_page(first + i, bytes));
    if (!table_.put_page(first + i, slots))
      return Error{.code = ErrorCode::corrupt, .operation = "chunk table", .reason = "a segment has two slots"};
  }
  return {};
}

Result<void> Store::take_space() {
  for (const auto& [segment, index] : table_.segments()) {
    const ChunkSlot& slot = table_[index];
    const bool taken = space_.take(slot.home) &&
                       std::ranges::all_of(slot.reserve, [&](const auto& extent) { return space_.take(extent); });
    if (!taken)
      return Error{.code = ErrorCode::corrupt,
                   .operation = "chunk table",
                   .reason = "the units of segment {} are out of bounds or have two owners",
                   .values = {segment.value}};
  }
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

/// The chunks of which the log has updates, many at once. Those that cannot be loaded are seen to when they are met.
void Store::load_chunks_of(const std::vector<RecordPtr>& records) {
  constexpr std::size_t batch_max = 256;
  std::set<layout::SegmentId> segments;
  for (const RecordPtr& record : records)
    if (record->header.kind != RecordKind::pages) segments.insert(record->header.segment);
  for (auto next = segments.begin(); next != segments.end();) {
    std::vector<ChunkLoader> loaders;
    env::IoBatch io(world_);
    for (; next != segments.end() && loaders.size() < batch_max; ++next) {
      loaders.emplace_back(*this, *next);
      loaders.back().add_read(io);
    }
    io.run(world_.now() + io_time_max);
    for (ChunkLoader& loader : loaders) (void)loader.finish(io);
  }
}

Result<void> Store::replay(const std::vector<RecordPtr>& records) {
  load_chunks_of(records);
  for (const RecordPtr& record : records) {
    if (record->header.kind == RecordKind::pages) {
      forget_predecessors(*record);
      continue;
    }
    const auto index = table_.find(record->header.segment);
    record->freeable_from = 0;
    if (!index || damaged_.contains(record->header.segment)) continue;
    const auto loaded = chunk(record->header.segment);
    if (!loaded && loaded.error().code == ErrorCode::io_failed) return loaded.error();
    if (loaded && (*loaded)->shape.fits(*record)) {
      replay_update(**loaded, record);
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

/// A chunk that is being made has nothing to do with the updates of the one that it replaces.
void Store::forget_predecessors(const Record& pages) {
  std::span<const std::uint8_t> bytes(pages.payload.span());
  for (const auto& [offset, size] : pages.places) {
    const auto image = bytes.first(size);
    bytes = bytes.subspan(size);
    if (offset < geometry_.table_offset || offset >= table_page_offset(geometry_.table_page_count)) continue;
    if (size != layout::table_page_size) continue;
    const auto page = static_cast<std::uint32_t>((offset - geometry_.table_offset) / layout::table_page_size);
    const auto slots = layout::decode_table_page(page, image);
    if (!slots) continue;
    for (const ChunkSlot& slot : *slots) {
      if (slot.state != layout::SlotState::creating) continue;
      drop_all_updates(slot.segment);
      chunks_.erase(slot.segment);
      damaged_.erase(slot.segment);
    }
  }
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
  if (header.id <= chunk.tag.reserved[chain]) return;
  // Most follow the one before; only the others are worth a search.
  const bool follows = header.from == chunk.tip[chain] && header.id > chunk.tip[chain];
  if (!follows && has(header.id)) return;
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

}  // namespace parapet::store

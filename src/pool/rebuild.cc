// Bringing back a device that was out.
#include <algorithm>

#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"
#include "pool/snapshot.h"
#include "store/io_time.h"

namespace parapet::pool {

using layout::block_size;
using layout::HolderSet;
using layout::SlotState;

namespace {

constexpr int attempts_max = 1000;
constexpr env::Time pause = std::chrono::milliseconds(10);

Error no_room(const Segment& segment, unsigned holder) {
  return {.code = ErrorCode::no_space,
          .operation = "log",
          .reason = "no room to change the slot of segment {} on device {}",
          .values = {segment.id.value, segment.holders[holder].device}};
}

}  // namespace

Result<void> Pool::restore(unsigned device) {
  {
    const env::Lock lock(*stage_);
    if (device >= devices_.size() || !reachable().contains(device) || configuration_.in.contains(device))
      return Error{.code = ErrorCode::invalid_argument,
                   .operation = "restore",
                   .reason = "device {} is not a present device that is out",
                   .values = {device}};
  }
  // First what its log has of all of them, since that may be what keeps the log full.
  for (const auto step : {&Pool::give_up_log, &Pool::rebuild})
    for (layout::SegmentId id : segments()) {
      const auto found = this->segment(id);
      if (!found && found.error().code == ErrorCode::not_found) continue;
      PARAPET_TRY(const SegmentPtr segment, found);
      for (unsigned holder = 0; holder < segment->holders.size(); ++holder)
        if (segment->holders[holder].device == device)
          PARAPET_CHECK(patiently([&] { return (this->*step)(segment, holder); }));
    }
  env::Lock lock(*stage_);
  become_committer(lock);
  const auto outcome = configure(lock, configuration_.in | layout::DeviceSet{device}, {});
  resign_committer(lock);
  PARAPET_CHECK(outcome);
  if (!devices_[device].failed) return {};
  return Error{
      .code = ErrorCode::io_failed, .operation = "restore", .reason = "device {} failed meanwhile", .values = {device}};
}

/// The chunk is going to be made anew: its logged updates are not needed, once the others say that it missed something.
Result<void> Pool::give_up_log(const SegmentPtr& segment, unsigned holder) {
  Device& device = devices_[segment->holders[holder].device];
  store::Store& store = *device.store;
  // Held to the end, so that nobody makes the chunk anew before the old one is given up.
  const env::Lock moving(*device.mover_mutex);
  env::Lock lock(*stage_);
  if (segment->counting.contains(holder) || !store.slot(segment->id)) return {};
  PARAPET_CHECK(servable(*segment));
  PARAPET_CHECK(
      change_slots(*segment, segment->counting, [&](layout::ChunkSlot& slot) { slot.missed.insert(holder); }));
  PARAPET_CHECK(commit_staged(lock));
  lock.unlock();
  store.forget_updates(segment->id);
  return {};
}

/// Where a log is full, its mover makes room.
Result<void> Pool::patiently(const std::function<Result<void>()>& attempt) {
  auto outcome = attempt();
  for (int i = 0; !outcome && outcome.error().code == ErrorCode::no_space && i < attempts_max; ++i) {
    world_.sleep_until(world_.now() + pause);
    outcome = attempt();
  }
  return outcome;
}

Result<void> Pool::rebuild(const SegmentPtr& segment, unsigned holder) {
  const RangeLocks::Held held(ranges_, segment->id, whole_range(*segment));
  Holder& place = segment->holders[holder];
  const env::Lock loading(*load_mutex_);
  const env::Lock moving(*devices_[place.device].mover_mutex);
  env::Lock lock(*stage_);
  place.store = devices_[place.device].store.get();
  PARAPET_CHECK(servable(*segment));
  if (segment->counting.contains(holder)) return {};
  PARAPET_CHECK(commit_staged(lock));
  layout::ChunkSlot slot = *newest_slot(segment->id);
  place.chunk = nullptr;
  if (place.store->slot(segment->id)) {
    const auto room = place.store->try_reserve_slot_change(segment->id);
    if (!room) return no_room(*segment, holder);
    place.store->append_removal(segment->id, *room);
    PARAPET_CHECK(commit_staged(lock));
  }
  slot.state = SlotState::creating;
  slot.chunk = holder;
  slot.reserve.clear();
  slot.missed = {};
  const bool reserve = static_cast<Scheme>(defaults_.scheme) == Scheme::plr && holder >= segment->code.k();
  PARAPET_CHECK(place.store->allocate_chunk(slot, reserve ? slot.chunk_size / 4 : 0));
  lock.unlock();
  PARAPET_CHECK(rebuild_content(segment, holder));
  lock.lock();
  PARAPET_CHECK(servable(*segment));
  PARAPET_CHECK(count_in(lock, segment, holder));
  lock.unlock();
  PARAPET_TRY(const store::ChunkPtr chunk, place.store->chunk(segment->id));
  lock.lock();
  if (devices_[place.device].failed) return gone_out(place.device);  // And was taken out of the segments.
  place.chunk = chunk;
  segment->counting.insert(holder);
  return {};
}

Result<void> Pool::rebuild_content(const SegmentPtr& segment, unsigned holder) {
  Snapshot snapshot(world_, *stage_, segment);
  const std::uint32_t block_count = segment->chunk_size / block_size;
  const unsigned k = segment->code.k();
  const bool parity = holder >= k;
  const auto shape = parity ? layout::parity_tag_shape(k, block_count) : layout::data_tag_shape(block_count);
  layout::ChunkTag tag(segment->id, holder, shape);
  tag.home = parity ? snapshot.vector() : std::vector{snapshot.vector()[holder]};
  tag.reserved = tag.home;
  const env::IoBuffer content(segment->chunk_size);
  std::vector<std::uint8_t> row_bytes(segment->rows.row_size());
  for (std::uint32_t row = 0; row < segment->rows.row_count(); ++row) {
    PARAPET_CHECK(snapshot.reconstruct_row(holder, row, row_bytes));
    const auto blocks = segment->rows.blocks_of(row);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint8_t* const bytes = row_bytes.data() + i * block_size;
      std::copy(bytes, bytes + block_size, content.data() + std::size_t{blocks[i]} * block_size);
      tag.checksums[blocks[i]] = layout::chunk_block_checksum(segment->id, holder, blocks[i], bytes);
    }
  }
  if (parity) {
    for (unsigned chain = 0; chain < k; ++chain)
      if (segment->code.parities_of(chain).contains(holder))
        PARAPET_CHECK(
            snapshot.data_checksums(chain, std::span(tag.checksums).subspan(block_count * (chain + 1), block_count)));
  }
  store::Store& store = *segment->holders[holder].store;
  env::IoBatch io(world_);
  store.fill_allocated(segment->id, tag, content, io);
  io.run(world_.now() + store::io_time_max);
  return io.first_error();
}

/// The chunk is durable; now it counts, first by its own word, then by that of all others.
Result<void> Pool::count_in(env::Lock& stage, const SegmentPtr& segment, unsigned holder) {
  const layout::Members members{{ballot_, ++step_}, segment->counting | HolderSet{holder}};
  PARAPET_CHECK(change_slots(*segment, {holder}, [&](layout::ChunkSlot& slot) { slot.members = members; }));
  PARAPET_CHECK(commit_staged(stage));
  PARAPET_CHECK(change_slots(*segment, {holder}, [](layout::ChunkSlot& slot) { slot.state = SlotState::live; }));
  PARAPET_CHECK(change_slots(*segment, segment->counting, [&](layout::ChunkSlot& slot) {
    slot.members = members;
    slot.missed.erase(holder);
  }));
  return commit_staged(stage);
}

}  // namespace parapet::pool

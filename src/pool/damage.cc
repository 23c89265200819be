// Chunks that turn out to be damaged: they count no more, and are made anew.
#include "base/mutant.h"
#include "base/try.h"
#include "pool/pool.h"
#include "pool/snapshot.h"

namespace parapet::pool {

using layout::HolderSet;

void Pool::note_damage(layout::SegmentId segment, unsigned holder) {
  const env::Lock lock(*stage_);
  damaged_.emplace(segment, holder);
  damage_noted_->notify_all();
}

void Pool::note_damage(const Segment& segment, const HolderSet& holders) {
  for (unsigned holder : holders) note_damage(segment.id, holder);
}

/// Says on all that count that they do, and that `damaged` missed something. `stage` is held.
Result<void> Pool::append_damage(Segment& segment, const HolderSet& damaged) {
  const layout::Members members{{ballot_, ++step_}, segment.counting - damaged};
  for (unsigned holder : damaged) damaged_.emplace(segment.id, holder);
  damage_noted_->notify_all();
  return change_slots(segment, members.holders, [&](layout::ChunkSlot& slot) {
    slot.missed = slot.missed | damaged;
    if (!base::broken(base::Mutant::no_members)) slot.members = members;
  });
}

Result<void> Pool::leave_chunk_out(const SegmentPtr& segment, unsigned holder) {
  // Held to the end, so that nobody makes the chunk anew before the old one is given up.
  const env::Lock moving(*devices_[segment->holders[holder].device].mover_mutex);
  {
    env::Lock lock(*stage_);
    PARAPET_CHECK(servable(*segment));
    if (!segment->counting.contains(holder)) return {};
    if (!segment->code.decodable(segment->counting - HolderSet{holder}))
      return Error{.code = ErrorCode::too_many_losses,
                   .operation = "repair",
                   .reason = "segment {} cannot do without its damaged chunk {}",
                   .values = {segment->id.value, holder}};
    PARAPET_CHECK(append_damage(*segment, {holder}));
    PARAPET_CHECK(commit_staged(lock));
    leave_holders_out(*segment, {holder});
  }
  // Its log may be full of updates that cannot be moved.
  segment->holders[holder].store->forget_updates(segment->id);
  return {};
}

Result<HolderSet> Pool::scrub(layout::SegmentId id) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  Snapshot snapshot(world_, *stage_, segment);
  HolderSet damaged;
  std::vector<std::uint8_t> bytes(segment->rows.row_size());
  for (std::uint32_t row = 0; row < segment->rows.row_count(); ++row)
    for (unsigned chunk : snapshot.counting() - damaged)
      if (!snapshot.read_row(chunk, row, bytes)) damaged.insert(chunk);
  note_damage(*segment, damaged);
  return damaged;
}

Result<void> Pool::repair() {
  std::optional<Error> first;
  for (layout::SegmentId id : segments()) {
    const auto found = this->segment(id);
    if (!found) continue;
    const SegmentPtr& segment = *found;
    for (unsigned holder = 0; holder < segment->holders.size(); ++holder) {
      bool wanted = false;
      {
        const env::Lock lock(*stage_);
        const unsigned device = segment->holders[holder].device;
        if (!reachable().contains(device) || !configuration_.in.contains(device)) continue;
        wanted = damaged_.erase({id, holder}) > 0 || !segment->counting.contains(holder);
      }
      if (!wanted) continue;
      auto outcome = patiently([&] { return leave_chunk_out(segment, holder); });
      if (outcome) outcome = patiently([&] { return rebuild(segment, holder); });
      if (outcome) continue;
      if (!first) first = outcome.error();
      const env::Lock lock(*stage_);
      damaged_.emplace(id, holder);
    }
  }
  if (first) return *first;
  return {};
}

void Pool::run_repairer() {
  constexpr env::Time pause = std::chrono::milliseconds(50);
  env::Lock lock(*stage_);
  while (!stopping_) {
    if (damaged_.empty() || failure_) {
      damage_noted_->wait(lock);
      continue;
    }
    lock.unlock();
    if (!repair()) world_.sleep_until(world_.now() + pause);
    lock.lock();
    // What is left is on devices that are out: restoring those repairs it.
    std::erase_if(damaged_, [&](const auto& entry) {
      const auto it = segments_.find(entry.first);
      return it == segments_.end() || !reachable().contains(it->second->holders[entry.second].device) ||
             !configuration_.in.contains(it->second->holders[entry.second].device);
    });
  }
}

}  // namespace parapet::pool

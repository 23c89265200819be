// Which devices count: leaving one out.
#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"

namespace parapet::pool {

using layout::DeviceSet;
using layout::HolderSet;

DeviceSet Pool::reachable() const {
  DeviceSet devices;
  for (unsigned device = 0; device < devices_.size(); ++device)
    if (devices_[device].store && !devices_[device].failed) devices.insert(device);
  return devices;
}

Result<void> Pool::put_out(unsigned device) {
  env::Lock lock(*stage_);
  become_committer(lock);
  const bool in_use = reachable().contains(device);
  Result<void> outcome;
  if (!in_use || reachable().count() <= majority()) {
    outcome = Error{.code = in_use ? ErrorCode::too_many_losses : ErrorCode::invalid_argument,
                    .operation = "put out",
                    .reason = in_use ? "without device {} fewer than {} would be left" : "device {} is not in use",
                    .values = {device, majority()}};
  } else {
    outcome = exclude(lock, {device});
  }
  resign_committer(lock);
  return outcome;
}

void Pool::put_out_failed(unsigned device) {
  env::Lock lock(*stage_);
  if (!reachable().contains(device)) return;
  become_committer(lock);
  (void)exclude(lock, {device});
  resign_committer(lock);
}

Result<void> Pool::exclude(env::Lock& stage, DeviceSet devices) {
  for (unsigned device : devices) devices_[device].failed = true;
  return configure(stage, configuration_.in - devices, devices);
}

/// Makes it so that `in` is what counts, less what fails meanwhile; `leaving` goes out.
Result<void> Pool::configure(env::Lock& stage, DeviceSet in, DeviceSet leaving) {
  for (;;) {
    if (reachable().count() < majority()) {
      failure_ = Error{.code = ErrorCode::too_many_losses,
                       .operation = "pool",
                       .reason = "{} of {} devices work, {} are needed to write",
                       .values = {reachable().count(), devices_.size(), majority()}};
      continue_without_writes();
      return *failure_;
    }
    if (const auto appended = append_members_of_closing(leaving); !appended) {
      failure_ = appended.error();
      continue_without_writes();
      return *failure_;
    }
    DeviceSet failed;
    if (!base::broken(base::Mutant::serve_before_durable)) failed = write_batches(stage);
    const layout::DeviceConfiguration next{{ballot_, ++step_}, in};
    if (failed.empty() && !base::broken(base::Mutant::no_configuration)) failed = write_configuration(stage, next);
    if (failed.empty()) {
      configuration_ = next;
      break;
    }
    for (unsigned device : failed) devices_[device].failed = true;
    in = in - failed;
    leaving = leaving | failed;
  }
  leave_out(leaving);
  return {};
}

/// Nothing will be moved any more: nobody may wait for room.
void Pool::continue_without_writes() {
  for (const Device& device : devices_)
    if (device.store) device.store->give_up();
}

/// The stored configuration stands for every segment that it leaves decodable. One that is not keeps the members that
/// it had, so those have to be stored before, by everyone who has a slot of it.
Result<void> Pool::append_members_of_closing(const DeviceSet& leaving) {
  std::map<layout::SegmentId, layout::ChunkSlot> slots;
  for (unsigned device : reachable())
    for (layout::SegmentId id : devices_[device].store->segments()) {
      auto slot = devices_[device].store->slot(id);
      if (auto [it, fresh] = slots.emplace(id, *slot); !fresh && it->second.members.version < slot->members.version)
        it->second = *slot;
    }
  for (const auto& [id, slot] : slots) {
    const auto code = codes_.code(slot.code);
    if (!code) continue;
    const layout::Members members = effective_members(slot, *code);
    HolderSet left = members.holders;
    for (unsigned holder = 0; holder < slot.devices.size(); ++holder)
      if (leaving.contains(slot.devices[holder])) left.erase(holder);
    if (left == members.holders || code->decodable(left) || members == slot.members) continue;
    // Those that do not count say it, too: perhaps no other one is here.
    for (unsigned device : slot.devices) {
      if (!reachable().contains(device) || !devices_[device].store->slot(id)) continue;
      store::Store& store = *devices_[device].store;
      const auto room = store.try_reserve_slot_change(id);
      if (!room)
        return Error{.code = ErrorCode::no_space,
                     .operation = "pool",
                     .reason = "the log of device {} has no room to say who counts for segment {}",
                     .values = {device, id.value}};
      store.append_slot(id, *room, [&](layout::ChunkSlot& s) { s.members = members; });
    }
  }
  return {};
}

DeviceSet Pool::write_configuration(env::Lock& stage, const layout::DeviceConfiguration& configuration) {
  const DeviceSet devices = reachable();
  stage.unlock();
  DeviceSet failed;
  for (unsigned device : devices) {
    const auto written = devices_[device].store->update_superblock(
        [&](layout::Superblock& superblock) { superblock.configuration = configuration; });
    if (!written) failed.insert(device);
  }
  stage.lock();
  return failed;
}

void Pool::leave_out(const DeviceSet& devices) {
  for (const auto& [id, segment] : segments_) {
    HolderSet gone;
    for (unsigned holder : segment->counting)
      if (devices.contains(segment->holders[holder].device)) gone.insert(holder);
    if (gone.empty()) continue;
    leave_holders_out(*segment, gone);
  }
  for (unsigned device : devices)
    if (devices_[device].store) devices_[device].store->give_up();
}

/// From now on the holders do not count. What is staged of a data chunk among them stays visible.
void Pool::leave_holders_out(Segment& segment, const HolderSet& gone) {
  for (unsigned holder : gone) {
    if (holder >= segment.code.k() || base::broken(base::Mutant::drop_staged_images)) continue;
    const Holder& place = segment.holders[holder];
    for (const store::RecordPtr& record : place.store->uncommitted(*place.chunk))
      for (std::uint32_t i = 0; i < record->checksums.size(); ++i)
        segment.staged[{holder, record->header.offset / layout::block_size + i}] = {
            record->header.id, record->payload.part(std::size_t{i} * layout::block_size, layout::block_size)};
  }
  segment.counting = segment.counting - gone;
  for (unsigned holder : segment.counting) {
    const Holder& place = segment.holders[holder];
    place.store->mark_lacking(*place.chunk, gone, true);
  }
}

Result<void> Pool::servable(const Segment& segment) const {
  if (!segment.removed && segment.code.decodable(segment.counting)) return {};
  if (segment.removed)
    return Error{
        .code = ErrorCode::not_found, .operation = "segment", .reason = "{} was removed", .values = {segment.id.value}};
  return Error{.code = ErrorCode::too_many_losses,
               .operation = "segment",
               .reason = "{} of the {} chunks of segment {} are there: bring devices back",
               .values = {segment.counting.count(), segment.code.n(), segment.id.value}};
}

layout::Members Pool::effective_members(const layout::ChunkSlot& slot, const Code& code) const {
  if (slot.members.version >= configuration_.version) return slot.members;
  HolderSet left = slot.members.holders;
  for (unsigned holder = 0; holder < slot.devices.size(); ++holder)
    if (!configuration_.in.contains(slot.devices[holder])) left.erase(holder);
  return code.decodable(left) ? layout::Members{configuration_.version, left} : slot.members;
}

}  // namespace parapet::pool

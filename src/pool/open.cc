// Opening a pool: which devices belong to it and may be counted on, and what has to be brought to an end before it
// serves.
#include <algorithm>
#include <utility>

#include "base/mutant.h"
#include "base/try.h"
#include "pool/pool.h"
#include "store/trimmer.h"

namespace parapet::pool {

using layout::DeviceSet;
using layout::SegmentId;
using layout::SlotState;

namespace {

Error refuse(const char* reason, std::uint64_t a = 0, std::uint64_t b = 0) {
  return {.code = ErrorCode::invalid_argument, .operation = "open", .reason = reason, .values = {a, b}};
}

}  // namespace

Pool::Pool(env::World& world, const OpenOptions& options)
    : world_(world),
      options_(options),
      codes_(world),
      ranges_(world),
      cache_(world, options.cache_size),
      load_mutex_(world.make_mutex()),
      stage_(world.make_mutex()),
      round_ended_{world.make_cond_var(), world.make_cond_var()},
      committer_resigned_(world.make_cond_var()),
      commit_wanted_(world.make_cond_var()),
      damage_noted_(world.make_cond_var()) {}

Result<std::unique_ptr<Pool>> Pool::open(env::World& world, std::span<env::Disk* const> disks,
                                         const OpenOptions& options) {
  std::unique_ptr<Pool> pool(new Pool(world, options));
  PARAPET_CHECK(pool->take_devices(disks));
  PARAPET_CHECK(pool->promise_ballot());
  PARAPET_CHECK(pool->recover_stores());
  {
    const env::Lock loading(*pool->load_mutex_);
    PARAPET_CHECK(pool->settle_slots());
    PARAPET_CHECK(pool->recover_segments());
  }
  PARAPET_CHECK(pool->open_configuration());
  pool->note_left_out_chunks();
  pool->start_threads();
  return pool;
}

/// Puts every disk in its place by what its superblock says.
Result<void> Pool::take_devices(std::span<env::Disk* const> disks) {
  for (std::size_t i = 0; i < disks.size(); ++i) {
    auto identified = store::Store::identify(world_, *disks[i]);
    if (!identified) {
      // One that cannot be read is as good as absent; one that is none of ours is a mistake.
      const ErrorCode code = identified.error().code;
      if (code == ErrorCode::io_failed || code == ErrorCode::corrupt) continue;
      return identified.error();
    }
    layout::Superblock superblock = std::move(*identified);
    if (devices_.empty()) {
      devices_.resize(superblock.devices.size());
      defaults_ = superblock;
    }
    if (superblock.pool != defaults_.pool || superblock.devices != defaults_.devices)
      return refuse("the disk given as number {} belongs to another pool", i);
    Device& device = devices_[superblock.ordinal];
    if (device.store)
      return refuse("device {} is there twice: the disk given as number {} is a copy", superblock.ordinal, i);
    ballot_ = std::max(ballot_, superblock.ballot);
    if (superblock.configuration.version > configuration_.version) configuration_ = superblock.configuration;
    device.store = std::make_unique<store::Store>(world_, *disks[i], codes_, std::move(superblock));
    device.mover_mutex = world_.make_mutex();
  }
  // Each opening ends with a configuration: only who lacks one has missed what came after it.
  for (Device& device : devices_)
    device.lagging = device.store && device.store->superblock().configuration.version < configuration_.version;
  if (!devices_.empty()) {
    PARAPET_TRY(const Code code, codes_.code(defaults_.code));
    segment_size_ = std::uint64_t{defaults_.chunk_size} * code.k();
  }
  if (devices_.empty())
    return Error{.code = ErrorCode::too_many_losses, .operation = "open", .reason = "no device can be read"};
  if (reachable().count() < majority())
    return Error{.code = ErrorCode::too_many_losses,
                 .operation = "open",
                 .reason = "{} of {} devices are there, {} are needed",
                 .values = {reachable().count(), devices_.size(), majority()}};
  return {};
}

Result<void> Pool::promise_ballot() {
  ballot_ = std::max(ballot_, configuration_.version.ballot) + (base::broken(base::Mutant::reuse_ids) ? 0 : 1);
  for (unsigned device : reachable()) {
    store::Store& store = *devices_[device].store;
    auto promised = store.flush_device();
    if (promised)
      promised = store.update_superblock([&](layout::Superblock& superblock) { superblock.ballot = ballot_; });
    if (!promised) devices_[device].failed = true;
  }
  if (reachable().count() >= majority()) return {};
  return Error{.code = ErrorCode::too_many_losses,
               .operation = "open",
               .reason = "{} of {} devices can be written, {} are needed",
               .values = {reachable().count(), devices_.size(), majority()}};
}

Result<void> Pool::recover_stores() {
  std::vector<Result<bool>> damaged(devices_.size(), false);
  std::vector<std::unique_ptr<env::Thread>> threads;
  for (unsigned device : reachable())
    threads.push_back(
        world_.start_thread("opener", [&, device] { damaged[device] = devices_[device].store->recover(ballot_); }));
  threads.clear();
  for (unsigned device = 0; device < devices_.size(); ++device) {
    if (!damaged[device]) {
      devices_[device].failed = true;
    } else if (*damaged[device]) {
      damaged_logs_.push_back(device);
    }
  }
  if (reachable().count() >= majority()) return {};
  return Error{.code = ErrorCode::too_many_losses,
               .operation = "open",
               .reason = "{} of {} devices can be read, {} are needed",
               .values = {reachable().count(), devices_.size(), majority()}};
}

std::vector<SegmentId> Pool::all_segments() const {
  std::vector<SegmentId> all;
  for (unsigned device : reachable()) {
    const auto some = devices_[device].store->segments();
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// Brings creations and removals that were under way to their end, forward or back. Notes the segments that a device
/// lacks though it counts for them: that is said durably before the opening ends, so that a device that lost them is
/// not believed later when it says that they are not there.
Result<void> Pool::settle_slots() {
  env::Lock lock(*stage_);
  std::vector<std::pair<SegmentId, unsigned>> leaving;
  for (SegmentId id : all_segments()) {
    PARAPET_CHECK(shorten_logs(lock));
    const auto newest = newest_slot(id);
    if (!newest) continue;
    const auto code = codes_.code(newest->code);
    if (!code) continue;
    const auto members = effective_members(*newest, *code).holders;
    bool lives = false, drops = false, up_to_date_has = false, up_to_date_lacks = false;
    bool asked = false;                    ///< Some member is here.
    layout::HolderSet possible = members;  ///< Who has it, or may have it.
    std::vector<unsigned> holding;
    for (unsigned holder = 0; holder < newest->devices.size(); ++holder) {
      const unsigned device = newest->devices[holder];
      if (!reachable().contains(device)) continue;
      asked = asked || members.contains(holder);
      const auto slot = devices_[device].store->slot(id);
      if (!devices_[device].lagging && members.contains(holder)) (slot ? up_to_date_has : up_to_date_lacks) = true;
      if (!slot) {
        possible.erase(holder);
        continue;
      }
      holding.push_back(device);
      if (!members.contains(holder)) continue;
      lives = lives || slot->state == SlotState::live;
      drops = drops || slot->state == SlotState::dropping;
    }
    // Those that were left out cannot tell.
    if (!asked) continue;
    // A slot that is missing beside live ones is damage: removal begins when all that count are dropping.
    // One that only few have, while the others are here without, was removed before those few came back.
    const bool remembered = up_to_date_lacks && !up_to_date_has;
    const bool outvoted = (members - possible).count() > possible.count();
    const bool exists = lives && !drops && !remembered && !outvoted && code->decodable(possible);
    if (exists && possible != members) incomplete_.push_back(id);
    for (unsigned device : holding) {
      const bool live = devices_[device].store->slot(id)->state == SlotState::live;
      if (!exists) leaving.emplace_back(id, device);
      if (live != exists) settle_slot(device, id, exists ? SlotState::live : SlotState::dropping);
    }
  }
  // As in a removal: all say that they drop it before any of them lacks it.
  if (!base::broken(base::Mutant::remove_in_one_step)) PARAPET_CHECK(commit_staged(lock));
  for (const auto& [id, device] : leaving) {
    PARAPET_CHECK(shorten_logs(lock));
    settle_slot(device, id, std::nullopt);
  }
  return commit_staged(lock);
}

/// Gives the slot this state, or removes it. A device that cannot take that is as good as absent.
void Pool::settle_slot(unsigned device, SegmentId id, std::optional<SlotState> state) {
  store::Store& store = *devices_[device].store;
  const auto room = store.try_reserve_slot_change(id);
  if (!room) {
    devices_[device].failed = true;
  } else if (state) {
    store.append_slot(id, *room, [&](layout::ChunkSlot& slot) { slot.state = *state; });
  } else {
    store.append_removal(id, *room);
  }
}

/// Nobody moves updates on during an opening, but page images can go home.
Result<void> Pool::shorten_logs(env::Lock& stage) {
  for (unsigned device : reachable()) {
    store::Store& store = *devices_[device].store;
    const auto pressure = store.pressure();
    if (pressure.log_used - pressure.unmoved_data - pressure.unmoved_delta < pressure.log_size / 4) continue;
    PARAPET_CHECK(commit_staged(stage));
    if (const auto trimmed = store::trim(store); !trimmed) devices_[device].failed = true;
  }
  return {};
}

Result<void> Pool::recover_segments() {
  std::vector<SegmentId> ids = std::exchange(incomplete_, {});
  for (unsigned device : reachable()) {
    const auto some = devices_[device].store->segments_in_log();
    ids.insert(ids.end(), some.begin(), some.end());
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (SegmentId id : ids) {
    const auto segment = load(id);
    env::Lock lock(*stage_);
    PARAPET_CHECK(shorten_logs(lock));
    if (segment) {
      segments_[id] = *segment;
      unload_some();
    } else if (segment.error().code != ErrorCode::too_many_losses) {
      return segment.error();
    }
  }
  if (base::broken(base::Mutant::serve_before_durable)) return {};
  return flush();
}

/// A device that was out is in again when every segment of it can do without a rebuild.
bool Pool::nothing_missed(unsigned device) {
  if (base::broken(base::Mutant::trust_returned_devices)) return true;
  for (SegmentId id : all_segments()) {
    const auto newest = newest_slot(id);
    const Result<Code> code = newest ? codes_.code(newest->code) : Result<Code>(Error{});
    if (!code) return false;
    const auto place = std::ranges::find(newest->devices, static_cast<std::uint8_t>(device));
    if (place == newest->devices.end()) continue;
    const auto own = static_cast<unsigned>(place - newest->devices.begin());
    // A rebuild that did not come to its end left no chunk.
    if (!devices_[device].store->slot(id) || segments_.contains(id) || closed(id)) return false;
    layout::HolderSet others = effective_members(*newest, *code).holders;
    for (unsigned holder = 0; holder < newest->devices.size(); ++holder)
      if (holder == own || !reachable().contains(newest->devices[holder])) others.erase(holder);
    // One that closes keeps members without this device; then its chunk has to be made anew.
    if (!newest->members.holders.contains(own) || !code->decodable(others)) return false;
    for (unsigned chain = 0; chain < code->k(); ++chain)
      if (((code->parities_of(chain) | layout::HolderSet{chain}) & others).empty()) return false;
    for (unsigned holder : others) {
      const auto slot = devices_[newest->devices[holder]].store->slot(id);
      if (!slot || slot->missed.contains(own)) return false;
    }
  }
  return true;
}

Result<void> Pool::open_configuration() {
  env::Lock lock(*stage_);
  DeviceSet in = configuration_.in & reachable();
  for (unsigned device : reachable() - configuration_.in)
    if (nothing_missed(device)) in.insert(device);
  become_committer(lock);
  const auto outcome = configure(lock, in, configuration_.in - in);
  resign_committer(lock);
  return outcome;
}

/// An opening that was interrupted may have left chunks out of segments, and not their devices out of the pool.
void Pool::note_left_out_chunks() {
  const env::Lock lock(*stage_);
  for (SegmentId id : all_segments()) {
    const auto slot = newest_slot(id);
    const auto code = slot ? codes_.code(slot->code) : Result<Code>(Error{});
    if (!code || !lives(*slot)) continue;
    const layout::HolderSet members = effective_members(*slot, *code).holders;
    for (unsigned holder : layout::HolderSet::range(0, code->n()) - members)
      if ((configuration_.in & reachable()).contains(slot->devices[holder])) damaged_.emplace(id, holder);
  }
}

void Pool::start_threads() {
  if (!options_.background) return;
  for (unsigned device : reachable())
    devices_[device].mover = world_.start_thread("mover", [this, device] { run_mover(device); });
  committer_ = world_.start_thread("committer", [this] { run_committer(); });
  repairer_ = world_.start_thread("repairer", [this] { run_repairer(); });
}

}  // namespace parapet::pool

// Work that nobody waits for: committing from time to time, moving updates on, shortening logs.
#include "base/mutant.h"
#include "base/try.h"
#include "pool/pool.h"
#include "store/trimmer.h"

namespace parapet::pool {
namespace {

constexpr env::Time pause = std::chrono::milliseconds(10);
constexpr int vain_passes_max = 500;

}  // namespace

Error Pool::gone_out(unsigned device) {
  return {.code = ErrorCode::io_failed, .operation = "pool", .reason = "device {} has gone out", .values = {device}};
}

void Pool::run_committer() {
  env::Lock lock(*stage_);
  while (!stopping_) {
    commit_wanted_->wait_until(lock, world_.now() + options_.commit_interval);
    if (!stopping_ && !staged_.empty() && !failure_) (void)commit_staged(lock);
  }
}

void Pool::run_mover(unsigned device) {
  store::Store& store = *devices_[device].store;
  const auto scheme = static_cast<Scheme>(defaults_.scheme);
  int vain_passes = 0;
  while (!stopping_) {
    store::MovePolicy policy;
    bool pressing = false;
    store.wait_for([&](const store::Store::Pressure& pressure) {
      policy = policy_for(scheme, pressure);
      pressing = wants_trim(pressure);
      return stopping_ || policy.data || policy.parity || pressing;
    });
    if (stopping_) return;
    const std::size_t before = store.pressure().log_used;
    bool moved = false;
    {
      const env::Lock moving(*devices_[device].mover_mutex);
      const auto outcome = move_once(device, policy, pressing);
      moved = outcome.value_or(false);
      if (!outcome && failed(device)) return;
    }
    if (moved || store.pressure().log_used < before) {
      vain_passes = 0;
      continue;
    }
    // What waits is not committed, or pinned; or it cannot be read, and nobody else has it. Then nobody may wait for
    // it.
    if (store.pressure().waiting && ++vain_passes == vain_passes_max) put_out_failed(device);
    world_.sleep_until(world_.now() + pause);
  }
}

bool Pool::failed(unsigned device) {
  const env::Lock lock(*stage_);
  return devices_[device].failed || failure_;
}

Result<bool> Pool::move_once(unsigned device, const store::MovePolicy& policy, bool pressing) {
  store::Store& store = *devices_[device].store;
  if (pressing) PARAPET_CHECK(flush());
  bool moved = false;
  {
    store::Mover mover(store, policy);
    if (!mover.empty()) {
      if (const auto written = mover.write(); !written) {
        put_out_failed(device);
        return written.error();
      }
      for (const store::MoveFailure& failure : mover.failures())
        if (failure.error.code != ErrorCode::no_space) note_damage(failure.segment, failure.chunk);
      env::Lock lock(*stage_);
      if (devices_[device].failed) return gone_out(device);
      mover.append(left_out(mover.missed()));
      PARAPET_CHECK(commit_staged(lock));
      if (devices_[device].failed) return gone_out(device);
      moved = !mover.empty();
      mover.finish();
    }
  }
  if (pressing) {
    if (const auto trimmed = store::trim(store); !trimmed) {
      put_out_failed(device);
      return trimmed.error();
    }
  }
  return moved;
}

/// Those of the holders that do not count. Each holder of a chain has the updates in its log, or the mask in its slot:
/// whoever decides at an opening whether another one may count meets the one or the other.
std::vector<store::Missed> Pool::left_out(std::vector<store::Missed> missed) {
  if (base::broken(base::Mutant::no_missed_mask)) return {};
  for (auto& [id, holders] : missed) {
    const auto it = segments_.find(id);
    holders = it == segments_.end() ? layout::HolderSet() : holders - it->second->counting;
  }
  return missed;
}

Result<void> Pool::settle() {
  PARAPET_CHECK(flush());
  std::vector<Result<void>> outcomes(devices_.size());
  std::vector<std::unique_ptr<env::Thread>> threads;
  for (unsigned device = 0; device < devices_.size(); ++device) {
    if (!devices_[device].store || failed(device)) continue;
    threads.push_back(world_.start_thread("settler", [&, device] { outcomes[device] = settle(device); }));
  }
  threads.clear();
  for (const auto& outcome : outcomes) PARAPET_CHECK(outcome);
  return {};
}

Result<void> Pool::settle(unsigned device) {
  const env::Lock moving(*devices_[device].mover_mutex);
  const store::MovePolicy everything{true, true, false};
  // At last a pass finds nothing but the pages records of the one before.
  for (bool moved = true; moved;) {
    PARAPET_TRY(moved, move_once(device, everything, true));
  }
  return {};
}

}  // namespace parapet::pool

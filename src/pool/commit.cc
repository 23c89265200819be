// Group commit: all logs at once, and one round serves everyone who waits.
#include "base/mutant.h"
#include "base/try.h"
#include "pool/pool.h"
#include "store/io_time.h"

namespace parapet::pool {

Result<void> Pool::flush() {
  env::Lock lock(*stage_);
  return commit_staged(lock);
}

Result<void> Pool::commit_staged(env::Lock& stage) {
  const std::uint64_t target = open_round_;
  while (committed_round_ < target && !failure_) {
    if (committing_) {
      round_ended_->wait(stage);
    } else {
      committing_ = true;
      const auto outcome = commit_round(stage);
      resign_committer();
      PARAPET_CHECK(outcome);
    }
  }
  if (failure_) return *failure_;
  if (lost_) return *lost_;
  return {};
}

void Pool::become_committer(env::Lock& stage) {
  while (committing_) round_ended_->wait(stage);
  committing_ = true;
}

void Pool::resign_committer() {
  committing_ = false;
  round_ended_->notify_all();
}

void Pool::wait_for_round(env::Lock& stage) {
  become_committer(stage);
  resign_committer();
}

Result<void> Pool::commit_round(env::Lock& stage) {
  const std::uint64_t round = open_round_++;
  std::vector<StagedUpdate> updates;
  updates.swap(staged_);
  staged_size_ = 0;
  const layout::DeviceSet failed = write_batches(stage);
  if (!failed.empty() && !base::broken(base::Mutant::ignore_failed_logs)) PARAPET_CHECK(exclude(stage, failed));
  finish_round(updates);
  committed_round_ = round;
  return {};
}

layout::DeviceSet Pool::write_batches(env::Lock& stage) {
  struct Part {
    unsigned device;
    std::size_t begin;
    std::size_t end;
  };
  layout::DeviceSet failed;
  for (int attempt = 0; attempt < 2; ++attempt) {
    env::IoBatch io(world_);
    std::vector<Part> parts;
    for (unsigned device = 0; device < devices_.size(); ++device) {
      if (!reachable().contains(device)) continue;
      store::Store& store = *devices_[device].store;
      const std::size_t begin = io.size();
      if (attempt == 0) {
        if (!store.close_batch(io)) continue;
      } else if (failed.contains(device)) {
        store.repeat_batch(io);
      } else {
        continue;
      }
      parts.push_back({device, begin, io.size()});
    }
    if (parts.empty()) break;
    stage.unlock();
    io.run(world_.now() + store::io_time_max);
    stage.lock();
    failed = {};
    for (const Part& part : parts) {
      bool good = true;
      for (std::size_t i = part.begin; i < part.end; ++i) good = good && io.result(i).has_value();
      if (good) {
        devices_[part.device].store->batch_written();
      } else {
        failed.insert(part.device);
      }
    }
    if (failed.empty()) break;
  }
  return failed;
}

void Pool::finish_round(std::vector<StagedUpdate>& updates) {
  std::vector<std::vector<store::Store::Committed>> marks(devices_.size());
  for (const StagedUpdate& update : updates) {
    Segment& segment = *update.segment;
    if (const auto servable = this->servable(segment); !servable) {
      lost_ = servable.error();
      continue;
    }
    Chain& chain = segment.chains[update.chain];
    chain.committed = std::max(chain.committed, update.id);
    for (unsigned holder : segment.holders_of(update.chain) & segment.counting) {
      const Holder& place = segment.holders[holder];
      marks[place.device].push_back({place.chunk, update.chain, update.id});
    }
    if (!segment.staged.empty())
      std::erase_if(segment.staged, [&](const auto& entry) {
        return entry.first.first == update.chain && entry.second.id <= chain.committed;
      });
  }
  for (unsigned device = 0; device < devices_.size(); ++device)
    if (!marks[device].empty()) devices_[device].store->mark_committed(marks[device]);
}

}  // namespace parapet::pool

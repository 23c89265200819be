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
      round_ended_[target % 2]->wait(stage);
    } else {
      committing_ = true;
      const auto outcome = commit_round(stage);
      resign_committer(stage);
      PARAPET_CHECK(outcome);
    }
  }
  if (failure_) return *failure_;
  if (lost_) return *lost_;
  return {};
}

void Pool::become_committer(env::Lock& stage) {
  while (committing_) committer_resigned_->wait(stage);
  committing_ = true;
}

void Pool::resign_committer(env::Lock& stage) {
  committing_ = false;
  env::CondVar& open = *round_ended_[open_round_ % 2];
  env::CondVar& ended = *round_ended_[(open_round_ + 1) % 2];
  const bool failed = failure_.has_value();
  // Who is woken wants the lock, and would only sleep again for it.
  stage.unlock();
  committer_resigned_->notify_all();
  // First one of those who wait for the open round: it leads that, and the disks idle until it does.
  if (failed) {
    open.notify_all();
  } else {
    open.notify_one();
  }
  ended.notify_all();
  stage.lock();
}

void Pool::wait_for_round(env::Lock& stage) {
  become_committer(stage);
  resign_committer(stage);
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
  layout::DeviceSet unwritten;
  for (unsigned device : reachable())
    if (devices_[device].store->close_batch()) unwritten.insert(device);
  for (int attempt = 0; attempt < 2 && !unwritten.empty(); ++attempt) {
    stage.unlock();
    env::IoBatch io(world_);
    std::vector<Part> parts;
    for (unsigned device : unwritten) {
      const std::size_t begin = io.size();
      devices_[device].store->write_batch(io);
      parts.push_back({device, begin, io.size()});
    }
    io.run(world_.now() + store::io_time_max);
    stage.lock();
    for (const auto& [device, begin, end] : parts) {
      bool good = true;
      for (std::size_t i = begin; i < end; ++i) good = good && io.result(i).has_value();
      if (!good && !base::broken(base::Mutant::flush_covers_a_hole)) continue;
      devices_[device].store->batch_written();
      unwritten.erase(device);
    }
  }
  return unwritten;
}

void Pool::finish_round(std::vector<StagedUpdate>& updates) {
  std::vector<std::vector<store::Store::Committed>> marks(devices_.size());
  for (const StagedUpdate& update : updates) {
    Segment& segment = *update.segment;
    if (const auto servable = this->servable(segment); !servable) {
      lost_ = servable.error();
      cache_.clear();
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

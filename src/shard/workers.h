// Several threads that share the stripes of a set.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "shard/file_error.h"
#include "shard/progress.h"

namespace parapet::shard {

/// What one thread does with each stripe that it takes.
class StripeWorker {
 public:
  virtual ~StripeWorker() = default;
  /// Asks `stopping` between slices and returns `interrupted_error` when it is so.
  virtual FileResult<void> run(std::uint64_t stripe) = 0;
};

/// Where workers learn whether to go on, and tell what they have done.
class WorkerControl {
 public:
  explicit WorkerControl(Progress& progress) : progress_(&progress) {}
  [[nodiscard]] bool stopping() const {
    return progress_->stop.load(std::memory_order_relaxed) || failed_.load(std::memory_order_relaxed);
  }
  void add_done(std::uint64_t bytes) { progress_->bytes_done.fetch_add(bytes, std::memory_order_relaxed); }
  void fail() { failed_.store(true, std::memory_order_relaxed); }

 private:
  Progress* progress_;
  std::atomic<bool> failed_{false};
};

/// One for each processor, but at least two, so that one can compute while the other waits for a disk.
unsigned default_worker_count();

using MakeWorker = std::function<std::unique_ptr<StripeWorker>(WorkerControl&)>;

/// Runs stripes 0..stripe_count-1, each on one of up to `worker_count` workers, lowest first. Returns when all threads
/// have ended, with the first error if there was one. `subject` names the work in errors of its own.
FileResult<void> run_workers(unsigned worker_count, std::uint64_t stripe_count, const std::string& subject,
                             Progress& progress, const MakeWorker& make_worker);

}  // namespace parapet::shard

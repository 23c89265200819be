// Threads that run transfers where there is no io_uring. Invariant: a worker touches a transfer only between taking it
// from the queue and marking it as over; before and after that, the thread that awaits the batch owns it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "env/time.h"
#include "os/transfer.h"

namespace parapet::os {

/// Grows with the work that waits, up to a limit: operations that hang on a broken device hold a worker each. Any
/// number of threads may use it. Destroying it waits for the transfers under way, and needs every `run` to have
/// returned.
class IoWorkers {
 public:
  IoWorkers() = default;
  IoWorkers(const IoWorkers&) = delete;
  IoWorkers& operator=(const IoWorkers&) = delete;
  ~IoWorkers();

  /// Runs transfers of one set at the same time, until all have finished or the deadline has passed. Moves from them.
  /// Without a deadline the caller does one of them itself, so that a single one needs no other thread.
  void run(std::span<Transfer> transfers, env::Time deadline);

 private:
  struct Batch {
    std::vector<Transfer> transfers;
    std::vector<bool> over;  ///< Of each transfer.
    std::size_t left = 0;    ///< Transfers that are not over.
    std::condition_variable all_over;
  };
  struct Task {
    std::shared_ptr<Batch> batch;
    std::size_t index = 0;
  };

  void enqueue(const std::shared_ptr<Batch>& batch, std::size_t count);
  void work();
  void execute(const Task& task);
  void wait_for(Batch& batch, env::Time deadline);

  std::mutex mutex_;  ///< Guards everything here and in the batches, except the transfers.
  std::condition_variable work_waits_;
  std::deque<Task> queue_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace parapet::os

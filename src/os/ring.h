// The io_uring of one thread. Invariants:
//  1. A transfer's slot is in exactly one of: `free_`, `waiting_` (to be submitted), under way (in the kernel's hands).
//  2. Transfers in `waiting_` belong to the set that `run` awaits now. Those under way that do not were given up: their
//     slots keep their memory alive until the kernel says that they are over.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "env/disk.h"
#include "env/time.h"
#include "os/transfer.h"

namespace parapet::os {

/// For the thread that made it only.
class Ring {
 public:
  /// This thread's ring, made at the first call. Null where the kernel or a sandbox refuses one (noted once).
  static Ring* of_this_thread();

  ~Ring();

  /// Runs transfers of `set` until all have finished or the deadline has passed. Moves from them.
  void run(std::span<Transfer> transfers, const env::IoSet& set, env::Time deadline);

 private:
  explicit Ring(const io_uring& ring) : ring_(ring) {}
  static std::unique_ptr<Ring> make();

  void add(Transfer transfer);
  void fill_queue();
  void enter(std::size_t wait_count, env::Time deadline);
  void reap(const env::IoSet* awaited);
  void settle(Transfer* transfer, int answer);
  void give_up_waiting();
  void release(Transfer* transfer);

  io_uring ring_;
  std::deque<Transfer> slots_;
  std::vector<Transfer*> free_;
  std::deque<Transfer*> waiting_;
  std::size_t under_way_ = 0;
  std::size_t awaited_ = 0;  ///< Transfers of the set that `run` awaits and that have not finished.
};

}  // namespace parapet::os

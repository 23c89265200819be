// How a run tells how far it is, and how it is told to stop.
#pragma once

#include <atomic>
#include <cstdint>

namespace parapet::shard {

/// Shared between a run and whoever watches it, from any thread or, for `stop`, a signal handler.
struct Progress {
  std::atomic<std::uint64_t> bytes_total{0};  ///< 0 until known.
  std::atomic<std::uint64_t> bytes_done{0};
  std::atomic<bool> stop{false};  ///< Set it, and the run ends soon with `interrupted` and removes what it made.
};
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace parapet::shard

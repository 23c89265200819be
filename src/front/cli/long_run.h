// Long work with a progress bar that can be stopped.
#pragma once

#include <chrono>
#include <string>

#include "front/cli/progress_bar.h"
#include "front/cli/stop_signals.h"

namespace parapet::front {

/// A result and how long it took.
template <class T>
struct Timed {
  T result;
  double seconds;
};

/// Calls `work(progress)`.
template <class Work>
auto run_long(const std::string& title, Work work) {
  shard::Progress progress;
  const StopSignals signals(progress);
  const auto start = std::chrono::steady_clock::now();
  const ProgressBar bar(title, progress);
  auto result = work(progress);
  return Timed<decltype(result)>{std::move(result),
                                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace parapet::front

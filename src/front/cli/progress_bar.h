// A line on the terminal that shows how far a run is.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "shard/progress.h"

namespace parapet::front {

/// Draws on standard error from a thread of its own while it lives, and leaves nothing behind. Draws only on a
/// terminal, only after half a second, and ten times a second at most.
class ProgressBar {
 public:
  /// `progress` must outlive it.
  ProgressBar(std::string title, const shard::Progress& progress);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

 private:
  void draw_until_ended();
  void draw() const;

  std::string title_;
  const shard::Progress& progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::thread thread_;  // Runs only on a terminal.
};

}  // namespace parapet::front

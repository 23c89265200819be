// Ctrl-C and friends end a run in good order.
#pragma once

#include <signal.h>

#include <array>

#include "shard/progress.h"

namespace parapet::front {

/// While it lives, SIGINT, SIGTERM and SIGHUP set `progress.stop`. At most one at a time.
class StopSignals {
 public:
  explicit StopSignals(shard::Progress& progress);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  static constexpr std::array signals_ = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, signals_.size()> before_{};
};

}  // namespace parapet::front

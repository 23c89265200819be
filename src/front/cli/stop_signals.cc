#include "front/cli/stop_signals.h"

#include <atomic>

namespace parapet::front {
namespace {

std::atomic<shard::Progress*> watched{nullptr};  // Signal handlers get no argument of their own.

void stop_watched(int) {
  if (shard::Progress* progress = watched.load()) progress->stop.store(true);
}

}  // namespace

StopSignals::StopSignals(shard::Progress& progress) {
  watched.store(&progress);
  struct sigaction action {};
  action.sa_handler = stop_watched;
  for (std::size_t i = 0; i < signals_.size(); ++i) {
    sigaction(signals_[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(signals_[i], &action, nullptr);  // nohup stays nohup.
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals_.size(); ++i) sigaction(signals_[i], &before_[i], nullptr);
  watched.store(nullptr);
}

}  // namespace parapet::front

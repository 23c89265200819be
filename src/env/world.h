// The one door to the world: threads, time, waiting for disks, chance. Real in src/os, simulated in src/simenv.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "env/disk.h"
#include "env/sync.h"
#include "env/time.h"

namespace parapet::env {

/// Any number of threads may use a world. It outlives everything made from it.
class World {
 public:
  virtual ~World() = default;

  virtual std::unique_ptr<Mutex> make_mutex() = 0;
  virtual std::unique_ptr<CondVar> make_cond_var() = 0;
  /// Runs `body` in a thread of its own. The name is for debuggers and traces.
  virtual std::unique_ptr<Thread> start_thread(std::string_view name, std::function<void()> body) = 0;

  [[nodiscard]] virtual Time now() = 0;
  virtual void sleep_until(Time time) = 0;

  /// Waits until every operation of the set is done or `deadline` has passed. Called by IoBatch only, in the thread
  /// that started them.
  virtual void wait(const std::shared_ptr<IoSet>& set, Time deadline) = 0;

  /// Bytes that nobody can guess, for identities.
  virtual void fill_random(std::span<std::uint8_t> bytes) = 0;
};

}  // namespace parapet::env

// The world of the operating system: its threads, clock, disks and chance.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "env/world.h"
#include "os/io_workers.h"

namespace parapet::os {

/// Who moves the bytes of disks that are not in memory.
enum class IoEngine {
  ring,     ///< io_uring, one ring for each thread.
  workers,  ///< System calls that block, several at a time in worker threads.
};

/// A program makes one and passes it on. A process that forks, forks before that: rings do not survive it.
class RealWorld final : public env::World {
 public:
  /// Takes the workers where the wanted ring is refused.
  explicit RealWorld(IoEngine wanted = IoEngine::ring);

  [[nodiscard]] IoEngine io_engine() const { return io_engine_; }

  std::unique_ptr<env::Mutex> make_mutex() override;
  std::unique_ptr<env::CondVar> make_cond_var() override;
  std::unique_ptr<env::Thread> start_thread(std::string_view name, std::function<void()> body) override;
  env::Time now() override;
  void sleep_until(env::Time time) override;
  void wait(const std::shared_ptr<env::IoSet>& set, env::Time deadline) override;
  void fill_random(std::span<std::uint8_t> bytes) override;

 private:
  void run(std::span<Transfer> transfers, const env::IoSet& set, env::Time deadline);

  IoEngine io_engine_;
  IoWorkers workers_;
};

}  // namespace parapet::os

// A world whose threads, time, disks and chance all come from a seed: same seed, same execution, bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "env/world.h"
#include "simenv/scheduler.h"
#include "simenv/trace.h"

namespace parapet::simenv {

/// For one OS thread, the one that made it; it runs all simulated threads. Other OS threads may have worlds of their
/// own.
class SimWorld : public env::World {
 public:
  explicit SimWorld(std::uint64_t seed, const ScheduleOptions& options = {});

  /// Runs `body` as the main thread, on the caller's own stack (the others have 256 KiB each), then waits for the end
  /// of all threads that it started. May be called again; time goes on. When no thread can go on and nothing is going
  /// to happen, prints what each waits for and aborts.
  void run(const std::function<void()>& body);

  std::unique_ptr<env::Mutex> make_mutex() override;
  std::unique_ptr<env::CondVar> make_cond_var() override;
  std::unique_ptr<env::Thread> start_thread(std::string_view name, std::function<void()> body) override;
  [[nodiscard]] env::Time now() override { return scheduler_.now(); }
  void sleep_until(env::Time time) override { scheduler_.block("the end of its sleep", time); }
  void wait(const std::shared_ptr<env::IoSet>& set, env::Time deadline) override;
  void fill_random(std::span<std::uint8_t> bytes) override { random_.fill(bytes.data(), bytes.size()); }

  /// Of everything that has happened: decisions, I/O, notes, and when.
  [[nodiscard]] std::uint64_t trace_hash() const { return trace_.hash(); }
  /// From now on writes a readable line per event; nullptr for none.
  void trace(std::ostream* out) { trace_.write_to(out); }
  /// Adds a line of the caller's.
  void note(std::string_view text) { trace_.add(now(), "note", text); }

  /// Calls `observer` whenever operations of disks have started and their thread waits, and after each one's end. It
  /// must not block; it may cut the power. Null for none.
  void observe_io(std::function<void()> observer) { io_observer_ = std::move(observer); }

  /// For disks: the schedule, the trace, a seed for a stream of random numbers of the disk's own.
  Scheduler& scheduler() { return scheduler_; }
  Trace& trace_log() { return trace_; }
  std::uint64_t fork_seed() { return seeds_(); }
  /// For disks: ends operation `index`, unless the one who started it has given it up.
  void complete(const std::shared_ptr<env::IoSet>& set, std::size_t index, const Result<void>& result);
  /// For disks: an operation has started or ended.
  void io_happened();

 private:
  struct Waiter {
    const env::IoSet* set;
    Task* task;
  };

  base::Prng seeds_;
  Trace trace_;
  Scheduler scheduler_;
  base::Prng random_;
  std::vector<Waiter> waiters_;
  std::function<void()> io_observer_;
};

}  // namespace parapet::simenv

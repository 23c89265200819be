// Which simulated thread runs, and what time it is.
//
// 1. Exactly one task runs at a time; it runs until it blocks, yields or ends.
// 2. A task is running, runnable (in `runnable_` once) or blocked (`waits_for` is set).
// 3. Time stands still while a task is runnable. When none is, it jumps to the next event.
// 4. Events of one time fire in the order in which they were made.
// 5. All decisions come from the seed and from these lists, never from addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "env/time.h"
#include "simenv/fiber.h"
#include "simenv/trace.h"

namespace parapet::simenv {

/// How lively the schedule is. Each "one in" is the inverse of a probability; 0 for never.
struct ScheduleOptions {
  unsigned yield_one_in = 4;               ///< At a lock or the start of I/O: another thread may go on first.
  unsigned stall_one_in = 32;              ///< There too: the thread stands still for a while.
  env::Time stall_max{300'000};            ///< The longest stall.
  unsigned spurious_wake_one_in = 32;      ///< Waits for a condition variable that end without a notification.
  env::Time time_max{86'400'000'000'000};  ///< A world that runs for longer is taken for one that never ends.
  /// Likewise one in which so many decisions in a row do not move time.
  std::uint64_t decisions_max = 10'000'000;

  /// No yields, stalls and spurious wake-ups: for measurements in virtual time.
  static ScheduleOptions calm() { return {.yield_one_in = 0, .stall_one_in = 0, .spurious_wake_one_in = 0}; }
};

/// A simulated thread.
struct Task {
  Task(std::uint64_t number, std::string_view title) : id(number), name(title) {}
  Task(std::uint64_t number, std::string_view title, std::function<void()> body)
      : id(number), name(title), fiber(std::move(body)) {}

  std::uint64_t id;
  std::string name;
  Fiber fiber;
  std::string_view waits_for;  ///< While blocked: on what; static storage.
  bool timed_out = false;      ///< Of the last block.
  bool ended = false;
  Task* joiner = nullptr;
};

/// For one OS thread: the one that made it becomes the main task.
class Scheduler {
 public:
  /// Names an event; ordered by time, then by the order of making.
  using EventId = std::pair<env::Time, std::uint64_t>;

  Scheduler(std::uint64_t seed, const ScheduleOptions& options, Trace& trace);
  ~Scheduler();

  [[nodiscard]] env::Time now() const { return now_; }
  [[nodiscard]] Task& current() { return *current_; }
  /// A number below `bound` (> 0), from the seed.
  std::uint64_t below(std::uint64_t bound) { return prng_.below(bound); }

  /// Adds a task, runnable. It must be `join`ed before it is destroyed.
  std::unique_ptr<Task> start(std::string_view name, std::function<void()> body);
  void join(Task& task);
  /// Called by the main task: waits for the end of all others.
  void join_all();

  /// Blocks the running task until `wake` (true) or `deadline` (false). `waits_for`: static storage, for people.
  bool block(std::string_view waits_for, env::Time deadline = env::never);
  /// Makes a blocked task runnable; any other stays as it is.
  void wake(Task& task);
  [[nodiscard]] static bool is_blocked(const Task& task) { return !task.waits_for.empty(); }
  /// A point where the seed may let others go on first.
  void preempt();
  /// The time at which a wait that starts now ends by itself, or `never`.
  env::Time spurious_wake_time();

  /// Calls `action` at `time`, or as soon as the running task blocks if that has passed. It must not block.
  EventId at(env::Time time, std::function<void()> action);
  /// Nothing happens if it has fired already.
  void cancel(EventId event) { events_.erase(event); }

 private:
  [[nodiscard]] bool one_in(unsigned count) { return count > 0 && prng_.below(count) == 0; }
  void run_task(const std::function<void()>& body);
  void move_time();
  void fire_due_events();
  Task& pick();
  void switch_away();
  [[noreturn]] void fail(const char* why) const;

  ScheduleOptions options_;
  Trace& trace_;
  base::Prng prng_;
  env::Time now_{0};
  Task main_{0, "main"};
  Task* current_ = &main_;
  bool joining_all_ = false;
  std::vector<Task*> live_ = {&main_};
  std::vector<Task*> runnable_;
  std::map<EventId, std::function<void()>> events_;
  std::uint64_t decisions_since_move_ = 0;  // Of time.
  std::uint64_t next_event_ = 0;
  std::uint64_t next_task_ = 1;
};

}  // namespace parapet::simenv

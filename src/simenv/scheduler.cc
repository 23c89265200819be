#include "simenv/scheduler.h"

#include <cstdio>
#include <cstdlib>

#include "base/assert.h"

namespace parapet::simenv {

Scheduler::Scheduler(std::uint64_t seed, const ScheduleOptions& options, Trace& trace)
    : options_(options), trace_(trace), prng_(seed) {}

Scheduler::~Scheduler() { PARAPET_ASSERT(live_.size() == 1 && current_ == &main_); }

std::unique_ptr<Task> Scheduler::start(std::string_view name, std::function<void()> body) {
  auto task = std::make_unique<Task>(next_task_++, name, [this, body = std::move(body)] { run_task(body); });
  trace_.add(now_, "start", name, {{"task", task->id}});
  live_.push_back(task.get());
  runnable_.push_back(task.get());
  return task;
}

void Scheduler::run_task(const std::function<void()>& body) {
  body();
  Task& self = *current_;
  trace_.add(now_, "end", self.name, {{"task", self.id}});
  self.ended = true;
  std::erase(live_, &self);
  if (self.joiner != nullptr) wake(*self.joiner);
  if (joining_all_) wake(main_);
  Task& next = pick();
  current_ = &next;
  self.fiber.exit_to(next.fiber);
}

void Scheduler::join(Task& task) {
  task.joiner = current_;
  while (!task.ended) block("the end of a thread");
}

void Scheduler::join_all() {
  PARAPET_ASSERT(current_ == &main_);
  joining_all_ = true;
  while (live_.size() > 1) block("the end of all threads");
  joining_all_ = false;
}

bool Scheduler::block(std::string_view waits_for, env::Time deadline) {
  Task& self = *current_;
  self.waits_for = waits_for;
  self.timed_out = false;
  if (deadline == env::never) {
    switch_away();
    return true;
  }
  const EventId timer = at(deadline, [this, &self] {
    if (!is_blocked(self)) return;
    self.timed_out = true;
    wake(self);
  });
  switch_away();
  if (!self.timed_out) cancel(timer);
  return !self.timed_out;
}

void Scheduler::wake(Task& task) {
  if (!is_blocked(task)) return;
  task.waits_for = {};
  runnable_.push_back(&task);
}

void Scheduler::preempt() {
  if (one_in(options_.stall_one_in)) {
    block("a stall", now_ + env::Time(1 + prng_.below(static_cast<std::uint64_t>(options_.stall_max.count()))));
  } else if (one_in(options_.yield_one_in)) {
    runnable_.push_back(current_);
    switch_away();
  }
}

env::Time Scheduler::spurious_wake_time() {
  if (!one_in(options_.spurious_wake_one_in)) return env::never;
  return now_ + env::Time(prng_.below(1'000'000));
}

Scheduler::EventId Scheduler::at(env::Time time, std::function<void()> action) {
  const EventId id{time, next_event_++};
  events_.emplace(id, std::move(action));
  return id;
}

void Scheduler::fire_due_events() {
  while (!events_.empty() && events_.begin()->first.first <= now_) {
    const auto action = std::move(events_.extract(events_.begin()).mapped());
    action();
  }
}

void Scheduler::move_time() {
  if (events_.empty()) fail("deadlock: no thread can go on and nothing is going to happen");
  now_ = events_.begin()->first.first;
  decisions_since_move_ = 0;
  if (now_ > options_.time_max) fail("the simulation does not end: its limit of virtual time has passed");
}

// The callbacks of events run on the stack of the task that goes away.
Task& Scheduler::pick() {
  if (++decisions_since_move_ > options_.decisions_max) fail("livelock: threads run and time does not move");
  fire_due_events();
  while (runnable_.empty()) {
    move_time();
    fire_due_events();
  }
  const std::size_t index = runnable_.size() == 1 ? 0 : prng_.below(runnable_.size());
  Task& next = *runnable_[index];
  runnable_[index] = runnable_.back();
  runnable_.pop_back();
  trace_.add(now_, "run", next.name, {{"task", next.id}});
  return next;
}

void Scheduler::switch_away() {
  Task& self = *current_;
  Task& next = pick();
  if (&next == &self) return;
  current_ = &next;
  self.fiber.switch_to(next.fiber);
}

void Scheduler::fail(const char* why) const {
  std::fprintf(stderr, "parapet simulation: %s (virtual time %lld ns)\n", why, static_cast<long long>(now_.count()));
  for (const Task* const task : live_)
    std::fprintf(stderr, "  thread %llu '%s' waits for %.*s\n", static_cast<unsigned long long>(task->id),
                 task->name.c_str(), static_cast<int>(task->waits_for.size()), task->waits_for.data());
  std::abort();
}

}  // namespace parapet::simenv

#include "simenv/sim_sync.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::simenv {
namespace {

// Wakes one of the blocked tasks in `waiters`, if there is one, and takes it out.
void wake_one(Scheduler& scheduler, std::vector<Task*>& waiters) {
  if (waiters.empty()) return;
  const auto chosen = waiters.begin() + static_cast<std::ptrdiff_t>(scheduler.below(waiters.size()));
  scheduler.wake(**chosen);
  waiters.erase(chosen);
}

}  // namespace

SimMutex::~SimMutex() { PARAPET_ASSERT(owner_ == nullptr && waiters_.empty()); }

void SimMutex::lock() {
  scheduler_.preempt();
  PARAPET_ASSERT(owner_ != &scheduler_.current());
  while (owner_ != nullptr) {
    waiters_.push_back(&scheduler_.current());
    scheduler_.block("a mutex");
  }
  owner_ = &scheduler_.current();
}

void SimMutex::unlock() {
  PARAPET_ASSERT(owner_ == &scheduler_.current());
  owner_ = nullptr;
  wake_one(scheduler_, waiters_);
}

SimCondVar::~SimCondVar() { PARAPET_ASSERT(waiters_.empty()); }

void SimCondVar::wait(env::Lock& lock) { wait_until(lock, env::never); }

bool SimCondVar::wait_until(env::Lock& lock, env::Time deadline) {
  Task& self = scheduler_.current();
  waiters_.push_back(&self);
  lock.unlock();  // Nobody else runs before the block.
  const bool notified = scheduler_.block("a condition variable", std::min(deadline, scheduler_.spurious_wake_time()));
  const bool in_time = notified || scheduler_.now() < deadline;
  if (!notified) std::erase(waiters_, &self);
  lock.lock();
  return in_time;
}

void SimCondVar::notify_one() {
  // Who has timed out but not gone on yet must not swallow the notification.
  std::erase_if(waiters_, [](const Task* task) { return !Scheduler::is_blocked(*task); });
  wake_one(scheduler_, waiters_);
}

void SimCondVar::notify_all() {
  for (Task* const task : waiters_) scheduler_.wake(*task);
  waiters_.clear();
}

}  // namespace parapet::simenv

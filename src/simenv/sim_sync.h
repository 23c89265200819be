// Locks, condition variables and threads of a simulated world.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "env/sync.h"
#include "simenv/scheduler.h"

namespace parapet::simenv {

/// Not fair: when it is unlocked, a waiter of the seed's choice and whoever else comes by may take it.
class SimMutex : public env::Mutex {
 public:
  explicit SimMutex(Scheduler& scheduler) : scheduler_(scheduler) {}
  ~SimMutex() override;
  void lock() override;
  /// Called by the owner (asserted).
  void unlock() override;

 private:
  Scheduler& scheduler_;
  Task* owner_ = nullptr;
  std::vector<Task*> waiters_;
};

/// `notify_one` wakes a waiter of the seed's choice.
class SimCondVar : public env::CondVar {
 public:
  explicit SimCondVar(Scheduler& scheduler) : scheduler_(scheduler) {}
  ~SimCondVar() override;
  void wait(env::Lock& lock) override;
  bool wait_until(env::Lock& lock, env::Time deadline) override;
  void notify_one() override;
  void notify_all() override;

 private:
  Scheduler& scheduler_;
  std::vector<Task*> waiters_;
};

class SimThread : public env::Thread {
 public:
  SimThread(Scheduler& scheduler, std::string_view name, std::function<void()> body)
      : scheduler_(scheduler), task_(scheduler.start(name, std::move(body))) {}
  ~SimThread() override { scheduler_.join(*task_); }

 private:
  Scheduler& scheduler_;
  std::unique_ptr<Task> task_;
};

}  // namespace parapet::simenv

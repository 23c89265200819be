// Threads and what they wait for. Everything that blocks goes through these, so that a simulator can run one thread at
// a time and choose the next one.
#pragma once

#include <mutex>

#include "env/time.h"

namespace parapet::env {

/// A mutex; meets BasicLockable: use it through std::lock_guard and std::unique_lock. Not recursive.
class Mutex {
 public:
  virtual ~Mutex() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

using Lock = std::unique_lock<Mutex>;

/// A condition variable for any Mutex of the same world. Waits may end without a notification.
class CondVar {
 public:
  virtual ~CondVar() = default;
  virtual void wait(Lock& lock) = 0;
  /// False when `deadline` passed.
  virtual bool wait_until(Lock& lock, Time deadline) = 0;
  virtual void notify_one() = 0;
  virtual void notify_all() = 0;
};

/// A running thread. Destroying it waits for its end.
class Thread {
 public:
  virtual ~Thread() = default;
};

}  // namespace parapet::env

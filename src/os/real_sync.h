// Mutexes, condition variables and threads of the operating system.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>

#include "env/sync.h"

namespace parapet::os {

class RealMutex final : public env::Mutex {
 public:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  friend class RealCondVar;
  std::mutex mutex_;
};

/// For locks of a RealMutex.
class RealCondVar final : public env::CondVar {
 public:
  void wait(env::Lock& lock) override;
  bool wait_until(env::Lock& lock, env::Time deadline) override;
  void notify_one() override { changed_.notify_one(); }
  void notify_all() override { changed_.notify_all(); }

 private:
  std::condition_variable changed_;
};

class RealThread final : public env::Thread {
 public:
  RealThread(std::string_view name, std::function<void()> body);
  ~RealThread() override { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace parapet::os

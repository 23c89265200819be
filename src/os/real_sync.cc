#include "os/real_sync.h"

#include <pthread.h>

#include <string>
#include <utility>

#include "os/steady_now.h"

namespace parapet::os {
namespace {

/// Longer names are refused.
constexpr std::size_t thread_name_size_max = 15;

}  // namespace

void RealCondVar::wait(env::Lock& lock) {
  std::unique_lock inner(static_cast<RealMutex*>(lock.mutex())->mutex_, std::adopt_lock);
  changed_.wait(inner);
  inner.release();
}

bool RealCondVar::wait_until(env::Lock& lock, env::Time deadline) {
  if (deadline == env::never) return wait(lock), true;
  std::unique_lock inner(static_cast<RealMutex*>(lock.mutex())->mutex_, std::adopt_lock);
  const std::cv_status status = changed_.wait_until(inner, time_point_of(deadline));
  inner.release();
  return status == std::cv_status::no_timeout;
}

RealThread::RealThread(std::string_view name, std::function<void()> body)
    : thread_([name = std::string(name.substr(0, thread_name_size_max)), body = std::move(body)] {
        ::pthread_setname_np(::pthread_self(), name.c_str());
        body();
      }) {}

}  // namespace parapet::os

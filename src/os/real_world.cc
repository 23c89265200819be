#include "os/real_world.h"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "os/blocking.h"
#include "os/real_sync.h"
#include "os/ring.h"
#include "os/steady_now.h"

namespace parapet::os {

RealWorld::RealWorld(IoEngine wanted)
    : io_engine_(wanted == IoEngine::ring && Ring::of_this_thread() != nullptr ? IoEngine::ring : IoEngine::workers) {}

std::unique_ptr<env::Mutex> RealWorld::make_mutex() { return std::make_unique<RealMutex>(); }

std::unique_ptr<env::CondVar> RealWorld::make_cond_var() { return std::make_unique<RealCondVar>(); }

std::unique_ptr<env::Thread> RealWorld::start_thread(std::string_view name, std::function<void()> body) {
  return std::make_unique<RealThread>(name, std::move(body));
}

env::Time RealWorld::now() { return steady_now(); }

void RealWorld::sleep_until(env::Time time) { std::this_thread::sleep_until(time_point_of(time)); }

void RealWorld::wait(const std::shared_ptr<env::IoSet>& set, env::Time deadline) {
  std::vector<Transfer>& started = started_transfers();
  const auto others =
      std::partition(started.begin(), started.end(), [](const Transfer& transfer) { return transfer.in_memory(); });
  std::for_each(started.begin(), others, [](Transfer& transfer) {
    run_blocking(transfer);
    transfer.finish();
  });
  if (others != started.end()) run({others, started.end()}, *set, deadline);
  started.clear();
}

void RealWorld::run(std::span<Transfer> transfers, const env::IoSet& set, env::Time deadline) {
  Ring* const ring = io_engine_ == IoEngine::ring ? Ring::of_this_thread() : nullptr;
  if (ring != nullptr)
    ring->run(transfers, set, deadline);
  else
    workers_.run(transfers, deadline);
}

void RealWorld::fill_random(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::getrandom(bytes.data(), bytes.size(), 0);
    PARAPET_ASSERT(count > 0 || errno == EINTR);
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace parapet::os

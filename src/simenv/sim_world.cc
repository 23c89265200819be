#include "simenv/sim_world.h"

#include <algorithm>

#include "base/assert.h"
#include "simenv/sim_sync.h"

namespace parapet::simenv {

SimWorld::SimWorld(std::uint64_t seed, const ScheduleOptions& options)
    : seeds_(seed), scheduler_(seeds_(), options, trace_), random_(seeds_()) {}

void SimWorld::run(const std::function<void()>& body) {
  body();
  scheduler_.join_all();
}

std::unique_ptr<env::Mutex> SimWorld::make_mutex() { return std::make_unique<SimMutex>(scheduler_); }

std::unique_ptr<env::CondVar> SimWorld::make_cond_var() { return std::make_unique<SimCondVar>(scheduler_); }

std::unique_ptr<env::Thread> SimWorld::start_thread(std::string_view name, std::function<void()> body) {
  return std::make_unique<SimThread>(scheduler_, name, std::move(body));
}

void SimWorld::wait(const std::shared_ptr<env::IoSet>& set, env::Time deadline) {
  waiters_.push_back({set.get(), &scheduler_.current()});
  while (set->pending > 0)
    if (!scheduler_.block("I/O", deadline)) break;
  std::erase_if(waiters_, [&](const Waiter& waiter) { return waiter.set == set.get(); });
}

void SimWorld::complete(const std::shared_ptr<env::IoSet>& set, std::size_t index, const Result<void>& result) {
  const auto waiter =
      std::find_if(waiters_.begin(), waiters_.end(), [&](const Waiter& w) { return w.set == set.get(); });
  if (waiter == waiters_.end()) return;
  env::Io& io = set->ios[index];
  PARAPET_ASSERT(!io.done);
  io.done = true;
  io.result = result;
  if (--set->pending == 0) scheduler_.wake(*waiter->task);
}

// Not at once: a batch's operations start one after the other, and whoever is told of them may end them all.
void SimWorld::io_happened() {
  if (!io_observer_) return;
  scheduler_.at(now(), [this] {
    if (io_observer_) io_observer_();
  });
}

}  // namespace parapet::simenv

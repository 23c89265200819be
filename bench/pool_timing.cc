#include "bench/pool_timing.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include "base/try.h"

namespace parapet::bench {
namespace {

constexpr double overtime_max = 10;

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Of all processors: user, nice, system, and interrupts.
double machine_seconds() {
  std::ifstream file("/proc/stat");
  std::string name;
  std::uint64_t user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> irq >> softirq;
  return static_cast<double>(user + nice + system + irq + softirq) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

struct Outcome {
  std::vector<float> latencies_us;
  std::optional<Failure> failure;
};

/// One thread's part.
Outcome work_on(const TimedWork& work, unsigned thread, const Stopwatch& watch, std::atomic<bool>& stop) {
  Outcome outcome;
  const auto over = [&] {
    const double seconds = watch.seconds();
    return seconds >= work.seconds && (work.enough() || seconds >= work.seconds * overtime_max);
  };
  while (!stop && !over()) {
    const std::int64_t before = now_ns();
    const auto done = work.operation(thread);
    if (!done) {
      outcome.failure = done.error();
      stop = true;
      break;
    }
    if (!*done) break;
    outcome.latencies_us.push_back(static_cast<float>(now_ns() - before) * 1e-3f);
  }
  return outcome;
}

}  // namespace

CpuTime cpu_time_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {seconds_of(usage.ru_utime), seconds_of(usage.ru_stime), static_cast<std::uint64_t>(usage.ru_nvcsw),
          machine_seconds()};
}

Stopwatch::Stopwatch() : start_ns_(now_ns()), cpu_(cpu_time_now()) {}

double Stopwatch::seconds() const { return static_cast<double>(now_ns() - start_ns_) * 1e-9; }

Timing Stopwatch::finish(std::vector<float> latencies_us) const {
  const CpuTime now = cpu_time_now();
  return {.operations = latencies_us.size(),
          .seconds = seconds(),
          .cpu = {now.user_s - cpu_.user_s, now.system_s - cpu_.system_s, now.sleeps - cpu_.sleeps,
                  now.machine_s - cpu_.machine_s},
          .latencies_us = std::move(latencies_us)};
}

Result<Timing, Failure> time_work(const TimedWork& work) {
  std::vector<Outcome> outcomes(work.thread_count);
  std::atomic<bool> stop = false;
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < work.thread_count; ++thread)
      threads.emplace_back([&, thread] { outcomes[thread] = work_on(work, thread, watch, stop); });
  }
  std::vector<float> latencies_us;
  for (const Outcome& outcome : outcomes) {
    if (outcome.failure) return *outcome.failure;
    latencies_us.insert(latencies_us.end(), outcome.latencies_us.begin(), outcome.latencies_us.end());
  }
  PARAPET_CHECK(work.last());
  return watch.finish(std::move(latencies_us));
}

double Timing::processors_elsewhere() const {
  return std::max(0.0, cpu.machine_s - cpu.user_s - cpu.system_s) / seconds;
}

double percentile(std::vector<float> values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

}  // namespace parapet::bench

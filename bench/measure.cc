#include "bench/measure.h"

#include <algorithm>
#include <ctime>

#include "base/assert.h"

namespace parapet::bench {
namespace {

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A case and how far it has come. `next_call` is shared by all cases, so that in a rotation none meets the buffers
/// that the one before it left in the cache.
class Timer {
 public:
  Timer(const Work& work, std::size_t& next_call) : work_(work), next_call_(next_call) {}

  void warm_up(double seconds_min) {
    run(1);
    while (seconds_for(calls_per_sample_) < seconds_min) calls_per_sample_ *= 2;
  }
  void touch() { run(1); }
  double sample() { return seconds_for(calls_per_sample_) / static_cast<double>(calls_per_sample_); }

 private:
  void run(std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) work_(next_call_++);
  }
  double seconds_for(std::size_t calls) {
    const double start = thread_seconds();
    run(calls);
    return thread_seconds() - start;
  }

  const Work& work_;
  std::size_t& next_call_;
  std::size_t calls_per_sample_ = 1;
};

}  // namespace

std::vector<Samples> measure(std::span<const Work> cases, const Sampling& sampling) {
  std::size_t next_call = 0;
  std::vector<Timer> timers;
  for (const Work& work : cases) timers.emplace_back(work, next_call).warm_up(sampling.sample_seconds_min);
  std::vector<Samples> samples(cases.size());
  for (unsigned round = 0; round < sampling.sample_count; ++round) {
    for (std::size_t i = 0; i < timers.size(); ++i) {
      if (sampling.warm) timers[i].touch();
      samples[i].push_back(timers[i].sample());
    }
  }
  return samples;
}

double median(std::vector<double> values) {
  PARAPET_ASSERT(!values.empty());
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  if (values.size() % 2 == 1) return values[middle];
  const double below = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle));
  return (below + values[middle]) / 2;
}

double time_ratio(const Samples& other, const Samples& ours) {
  PARAPET_ASSERT(other.size() == ours.size());
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(other[i] / ours[i]);
  return median(std::move(ratios));
}

}  // namespace parapet::bench

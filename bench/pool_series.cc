#include "bench/pool_series.h"

#include <algorithm>

#include "bench/measure.h"

namespace parapet::bench {
namespace {

double per_operation(double value, const Timing& timing) {
  return timing.operations == 0 ? 0 : value / static_cast<double>(timing.operations);
}

template <class Value>
double median_of(const std::vector<const Timing*>& timings, Value value) {
  std::vector<double> values;
  for (const Timing* timing : timings) values.push_back(value(*timing));
  return median(std::move(values));
}

}  // namespace

Summary summary_of(const std::vector<const Timing*>& timings) {
  std::vector<float> latencies_us;
  for (const Timing* timing : timings)
    latencies_us.insert(latencies_us.end(), timing->latencies_us.begin(), timing->latencies_us.end());
  return {
      .rate = median_of(timings, [](const Timing& t) { return t.rate(); }),
      .p50_us = percentile(latencies_us, 0.5),
      .p99_us = percentile(latencies_us, 0.99),
      .p999_us = percentile(latencies_us, 0.999),
      .user_us = median_of(timings, [](const Timing& t) { return per_operation(t.cpu.user_s * 1e6, t); }),
      .system_us = median_of(timings, [](const Timing& t) { return per_operation(t.cpu.system_s * 1e6, t); }),
      .sleeps = median_of(timings, [](const Timing& t) { return per_operation(static_cast<double>(t.cpu.sleeps), t); }),
      .processors_elsewhere = median_of(timings, [](const Timing& t) { return t.processors_elsewhere(); })};
}

double ReferenceSeries::rate(std::size_t round) const {
  return std::max(threads[round].rate(), ring.empty() ? 0 : ring[round].rate());
}

double ratio_of(const CaseSeries& measured, const ReferenceSeries& reference) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < measured.runs.size(); ++round)
    ratios.push_back(measured.runs[round].timing.rate() / reference.rate(round));
  return median(std::move(ratios));
}

}  // namespace parapet::bench

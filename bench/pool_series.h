// Several runs of the same thing, and what is said of them.
#pragma once

#include <optional>
#include <vector>

#include "bench/pool_rig.h"

namespace parapet::bench {

struct Summary {
  double rate = 0;  ///< Operations per second.
  double p50_us = 0, p99_us = 0, p999_us = 0;
  double user_us = 0, system_us = 0;  ///< Processor time per operation.
  double sleeps = 0;                  ///< Per operation.
  double processors_elsewhere = 0;
};

/// Rates and processor times: medians of the runs. Percentiles: of all operations of all runs. `timings` is not empty.
Summary summary_of(const std::vector<const Timing*>& timings);

/// A load's runs, by threads and on one ring; round by round.
struct ReferenceSeries {
  std::vector<Timing> threads;
  std::vector<Timing> ring;  ///< Empty where there is no ring.

  /// Of the faster one.
  [[nodiscard]] double rate(std::size_t round) const;
};

/// A case's runs in one state.
struct CaseSeries {
  LogState state = LogState::fresh;
  std::vector<CaseRun> runs;
};

/// A group's runs; entry i of all of them was taken in round i.
struct GroupSeries {
  Group group;
  std::vector<ReferenceSeries> references;
  std::vector<CaseSeries> cases;
};

/// The median of the rounds' ratios of the case's rate to that of the reference.
double ratio_of(const CaseSeries& measured, const ReferenceSeries& reference);

}  // namespace parapet::bench

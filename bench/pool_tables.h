// The tables of the pool benchmark.
#pragma once

#include <string>
#include <vector>

#include "bench/pool_series.h"
#include "bench/report.h"

namespace parapet::bench {

/// What was measured under one scheme.
struct SchemeSeries {
  std::string scheme;
  std::vector<GroupSeries> groups;
};

/// What is wanted beside what was measured. In memory only the rate that is wanted there.
Table floor_table(const std::vector<SchemeSeries>& schemes, bool in_memory);
/// What the engine adds to its own accesses.
Table limit_table(const std::vector<SchemeSeries>& schemes);
Table operation_table(const std::vector<SchemeSeries>& schemes);
Table reference_table(const std::vector<SchemeSeries>& schemes);
/// Of the first `device_count` devices.
Table device_table(const std::vector<SchemeSeries>& schemes, unsigned device_count);

}  // namespace parapet::bench

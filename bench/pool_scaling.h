// How a pool's costs grow with what it holds.
#pragma once

#include "bench/pool_bed.h"
#include "bench/pool_benchmark.h"

namespace parapet::bench {

/// One row for each size of pool: memory and time for a segment, cost of an update, time to open.
Result<Table, Failure> pool_size_table(os::RealWorld& world, const PoolBenchmarkOptions& options);
/// One row for each amount of updates that the logs hold: time to open.
Result<Table, Failure> log_size_table(os::RealWorld& world, const PoolBenchmarkOptions& options);

}  // namespace parapet::bench

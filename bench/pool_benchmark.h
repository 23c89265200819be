// `parapet bench pool`: a pool on real devices, beside what the same disk gives to programs without an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/workbench.h"
#include "pool/scheme.h"

namespace parapet::bench {

struct PoolBenchmarkOptions {
  std::string on = ".";  ///< Everything is made in a directory below it, and removed in the end.
  std::string code = "rs(4,2)";
  std::vector<pool::Scheme> schemes{pool::Scheme::plr};
  unsigned device_count = 0;          ///< 0: as many as the code needs.
  std::uint64_t log_size = 64 << 20;  ///< Of each device in the steady state; twice as much else.
  double seconds = 1;                 ///< Of each run.
  unsigned rounds = 3;
  unsigned thread_count = 16;
  std::size_t segment_count = 32;  ///< That are overwritten, for each size of item.
  bool only_scaling = false;
  /// Bytes of allocated segments, ascending: how the cost of updates, memory and opening grow. Empty: not measured.
  std::vector<std::uint64_t> scaling;
  std::string only;  ///< Runs only the case with this key.
  /// Called from time to time with what is measured next.
  std::function<void(const std::string&)> announce = [](const std::string&) {};
};

/// What was read back is compared in every case. Errors: wrong options, an operation that failed, a wrong byte.
Result<Report, Failure> run_pool_benchmark(const PoolBenchmarkOptions& options);

}  // namespace parapet::bench

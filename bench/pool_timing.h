// Threads that do one thing again and again for a while, and what that took.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/workbench.h"
#include "parapet/result.h"

namespace parapet::bench {

/// What the process has used of the processors so far, with all its threads.
struct CpuTime {
  double user_s = 0;
  double system_s = 0;
  std::uint64_t sleeps = 0;  ///< Times that a thread gave up its processor to wait.
  double machine_s = 0;      ///< What all processes have used together, as far as the system tells.
};
CpuTime cpu_time_now();

struct Timing {
  std::uint64_t operations = 0;
  double seconds = 0;
  CpuTime cpu;
  std::vector<float> latencies_us;  ///< Of each operation, in no order.

  [[nodiscard]] double rate() const { return static_cast<double>(operations) / seconds; }
  /// Processors that other processes used meanwhile, on average: what was measured beside them says less.
  [[nodiscard]] double processors_elsewhere() const;
};

/// Measures from its construction to `finish`.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double seconds() const;
  [[nodiscard]] Timing finish(std::vector<float> latencies_us) const;

 private:
  std::int64_t start_ns_;
  CpuTime cpu_;
};

struct TimedWork {
  unsigned thread_count = 1;
  double seconds = 1;
  /// Does one operation in thread number `thread`; false when there is nothing left to do.
  std::function<Result<bool, Failure>(unsigned thread)> operation;
  /// The work goes on after its seconds until this is true, ten times as long at most. Asked by every thread.
  std::function<bool()> enough = [] { return true; };
  /// Ends the timed part, after all threads have stopped.
  std::function<Result<void, Failure>()> last = [] { return Result<void, Failure>(); };
};

/// Errors: the first that any operation gave; all threads have stopped then.
Result<Timing, Failure> time_work(const TimedWork& work);

/// The value below which this share of the values lies; 0 when there are none.
double percentile(std::vector<float> values, double share);

}  // namespace parapet::bench

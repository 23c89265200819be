// Timing of cases that are compared with each other.
//
// Method: one thread; the thread's CPU time, so that other processes cost nothing but cache; the cases of one
// comparison take turns, sample by sample, so that drift of clock and memory meets all of them alike; medians.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace parapet::bench {

/// One thing to time. It receives the running number of the call, by which a case may rotate over its buffers.
using Work = std::function<void(std::size_t call)>;

struct Sampling {
  unsigned sample_count = 11;
  /// A sample repeats its case until it takes this long.
  double sample_seconds_min = 1.5e-3;
  /// Whether an untimed call goes before each sample, to bring back what the other cases pushed out of the cache.
  bool warm = true;
};

/// Seconds per call, one entry per sample. Entry i of all cases of one comparison was taken in round i.
using Samples = std::vector<double>;

/// Times every case of `cases`, after a warm-up that also finds the calls per sample.
std::vector<Samples> measure(std::span<const Work> cases, const Sampling& sampling);

/// `values` must not be empty.
double median(std::vector<double> values);

/// How many times longer `other` takes than `ours`: the median of the rounds' ratios.
double time_ratio(const Samples& other, const Samples& ours);

}  // namespace parapet::bench

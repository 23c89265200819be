// `parapet bench codec`: the codec's speed, beside other libraries and the bounds of the machine.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bench/report.h"
#include "bench/workbench.h"

namespace parapet::bench {

struct CodecBenchmarkOptions {
  /// Names of RS codes with the default matrix, "rs(k,m)"; empty for the usual seven.
  std::vector<std::string> codes;
  /// Multiples of 4 KiB up to 64 MiB; empty for 4 KiB, 64 KiB, 1 MiB and 8 MiB.
  std::vector<std::size_t> chunk_sizes;
  /// ISA-L shared libraries to load and measure beside.
  std::vector<std::string> beside;
  /// A Jerasure shared library to load and measure beside; empty for none.
  std::string jerasure;
  /// Few shapes, sizes and samples, and no cold cases: seconds instead of minutes, and figures that mean little.
  bool quick = false;
  /// Called from time to time with what is measured next.
  std::function<void(const std::string&)> announce = [](const std::string&) {};
};

/// Measures on the calling thread. Every case's output is checked before it is timed.
/// Fails on wrong options, on a library that cannot be loaded, and on a wrong byte.
Result<Report, Failure> run_codec_benchmark(const CodecBenchmarkOptions& options);

}  // namespace parapet::bench

// How fast the machine multiplies at all, with nothing loaded or stored.
#pragma once

#include <optional>

namespace parapet::bench {

/// Bytes per second of the instruction that the avx512-gfni kernels multiply with (VGF2P8AFFINEQB on 64 bytes), on
/// registers alone: an encode of m parities handles at most this divided by m bytes of data per second. Nothing on
/// machines without it.
std::optional<double> multiplier_bytes_per_second();

}  // namespace parapet::bench

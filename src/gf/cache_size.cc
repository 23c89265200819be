#include "gf/cache_size.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace parapet::gf {

namespace {

constexpr std::size_t fallback_bytes = std::size_t{16} << 20;

#if defined(__x86_64__)
/// The largest cache that a CPUID leaf of "deterministic cache parameters" lists; 0 when there is no such leaf.
/// Intel: leaf 4; AMD: leaf 8000001Dh, of the same form.
std::size_t largest_cache_of_leaf(unsigned leaf) {
  constexpr unsigned cache_count_max = 16;
  std::size_t largest = 0;
  for (unsigned index = 0; index < cache_count_max; ++index) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    if (__get_cpuid_count(leaf, index, &eax, &ebx, &ecx, &edx) == 0 || (eax & 31) == 0) break;
    const std::size_t ways = (ebx >> 22) + 1;
    const std::size_t partitions = ((ebx >> 12) & 1023) + 1;
    const std::size_t line_bytes = (ebx & 4095) + 1;
    const std::size_t sets = std::size_t{ecx} + 1;
    largest = std::max(largest, ways * partitions * line_bytes * sets);
  }
  return largest;
}

std::size_t measure() { return std::max(largest_cache_of_leaf(4), largest_cache_of_leaf(0x8000001D)); }
#else
std::size_t measure() { return static_cast<std::size_t>(std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), 0L)); }
#endif

}  // namespace

std::size_t last_level_cache_bytes() {
  static const std::size_t bytes = [] {
    const std::size_t measured = measure();
    return measured > 0 ? measured : fallback_bytes;
  }();
  return bytes;
}

}  // namespace parapet::gf

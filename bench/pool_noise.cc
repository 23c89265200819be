#include "bench/pool_noise.h"

#include "base/assert.h"
#include "base/prng.h"

namespace parapet::bench {
namespace {

/// Windows begin at multiples of it: memory that writers would have aligned, too.
constexpr std::size_t step = 64;
/// Two items have the same content by chance once in so many times.
constexpr std::size_t starts = 1 << 16;
/// Odd, so that no two items share their versions.
constexpr std::uint64_t mixing = 0x9e3779b97f4a7c15;

}  // namespace

Noise::Noise(std::size_t item_size_max) : bytes_(starts * step + item_size_max), start_count_(starts) {
  base::Prng(1).fill(bytes_.data(), bytes_.size());
}

std::span<const std::uint8_t> Noise::item(std::uint64_t index, std::uint32_t version, std::size_t size) const {
  const std::size_t start = base::Prng(index * mixing + version).below(start_count_) * step;
  PARAPET_ASSERT(start + size <= bytes_.size());
  return std::span(bytes_).subspan(start, size);
}

}  // namespace parapet::bench

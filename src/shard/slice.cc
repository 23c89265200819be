#include "shard/slice.h"

#include <algorithm>

#include "layout/shard_header.h"

namespace parapet::shard {
namespace {

constexpr std::size_t buffer_size = 2 << 20;   // Stays in the last levels of cache, several workers beside each other.
constexpr std::size_t length_min = 16 * 1024;  // Below it, system calls cost more than cache misses.
constexpr std::size_t stagger = 192;           // Keeps the chunks from falling into the same cache sets.

}  // namespace

std::size_t slice_length_max(unsigned n, unsigned alpha, std::size_t unit_size) {
  const std::size_t fitting = buffer_size / (n * alpha) / layout::block_size * layout::block_size;
  return std::min(std::max(fitting, length_min), unit_size);
}

SliceBuffer::SliceBuffer(unsigned n, unsigned alpha, std::size_t length_max)
    : chunk_count_(n), alpha_(alpha), stride_(alpha * length_max + stagger), bytes_(n * stride_, 4096) {}

}  // namespace parapet::shard

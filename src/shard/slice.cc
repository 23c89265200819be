#include "shard/slice.h"

namespace parapet::shard {
namespace {

constexpr std::size_t buffer_size = 2 << 20;  // Stays in the last levels of cache, several workers beside each other.
constexpr std::size_t buffer_size_max = 8 << 20;  // What longer slices may take where there are many parts.
constexpr std::size_t memory_max = 1 << 30;       // For the slices of all workers, unless one is larger.
constexpr std::size_t length_min = 16 * 1024;     // Below it, system calls cost more than cache misses.
constexpr std::size_t stagger = 192;              // Keeps the chunks from falling into the same cache sets.

}  // namespace

std::size_t slice_length_max(unsigned n, const layout::Rows& rows, std::size_t unit_size) {
  const std::size_t part_count = std::size_t{n} * rows.part_count();
  const std::size_t length =
      std::min({std::max(buffer_size / part_count, length_min), buffer_size_max / part_count, unit_size});
  return std::max(length / rows.piece_size(), std::size_t{1}) * rows.piece_size();
}

unsigned worker_count_max(unsigned wanted, unsigned n, const layout::Rows& rows, std::size_t slice_length) {
  const std::size_t fitting = memory_max / (n * rows.part_count() * slice_length);
  return static_cast<unsigned>(std::min<std::size_t>(std::max(fitting, std::size_t{1}), wanted));
}

SliceBuffer::SliceBuffer(unsigned n, const layout::Rows& rows, std::size_t length_max)
    : part_count_(rows.part_count()), stride_(part_count_ * length_max + stagger), bytes_(n * stride_, 4096) {}

}  // namespace parapet::shard

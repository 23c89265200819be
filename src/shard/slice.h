// The part of a stripe that a worker codes at a time, and the memory for it.
//
// Rows are coded by themselves (layout/rows.h). So several rows in sequence, gathered, are a stripe of the same code
// with smaller chunks. A slice is such a sequence, small enough to stay in cache from reading to writing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "layout/rows.h"
#include "parapet/region.h"

namespace parapet::shard {

/// Bytes that adjoin in a chunk.
struct Extent {
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// Bytes [position, position + length) of every part of every chunk, which are whole rows. Gathered, the bytes of a
/// chunk lie part by part one after the other.
struct Slice {
  std::size_t position = 0;
  std::size_t length = 0;
  std::size_t part_size = 0;

  /// Where in its chunk byte `offset` of the gathered chunk lies, and how many of the `length_max` from there on
  /// adjoin.
  [[nodiscard]] Extent extent_at(std::size_t offset, std::size_t length_max) const {
    if (length == part_size) return {offset, length_max};
    const std::size_t in_part = offset % length;
    return {offset / length * part_size + position + in_part, std::min(length_max, length - in_part)};
  }
};

/// The slice length for a code of n chunks: whole rows; at most a unit, and little enough for all chunks to stay in
/// cache, unless a row is more than that.
std::size_t slice_length_max(unsigned n, const layout::Rows& rows, std::size_t unit_size);

/// As many of `wanted` workers as may have such slices at once without taking more than a gibibyte; at least one.
unsigned worker_count_max(unsigned wanted, unsigned n, const layout::Rows& rows, std::size_t slice_length);

/// Calls `visit(slice)` for the slices of a stripe until one fails; returns the failure. `visit` returns a
/// Result<void>.
template <class Visit>
auto for_each_slice(std::size_t part_size, std::size_t length_max, Visit visit) -> decltype(visit(Slice{})) {
  for (std::size_t position = 0; position < part_size; position += length_max) {
    const Slice slice{position, std::min(length_max, part_size - position), part_size};
    if (auto done = visit(slice); !done) return done;
  }
  return {};
}

/// Memory for one slice of n chunks, each gathered.
class SliceBuffer {
 public:
  SliceBuffer(unsigned n, const layout::Rows& rows, std::size_t length_max);

  /// The gathered chunk.
  [[nodiscard]] std::span<std::uint8_t> chunk(unsigned index, const Slice& slice) const {
    return {bytes_.data() + index * stride_, part_count_ * slice.length};
  }
  [[nodiscard]] Region region(unsigned index, const Slice& slice) const {
    const auto bytes = chunk(index, slice);
    return {bytes.data(), bytes.size()};
  }

 private:
  unsigned part_count_;
  std::size_t stride_;
  base::AlignedBuffer bytes_;
};

}  // namespace parapet::shard

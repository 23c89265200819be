// The part of a stripe that a worker codes at a time, and the memory for it.
//
// A code acts on every byte position of the sub-chunks by itself. So the same range of all sub-chunks of all chunks,
// gathered, is a codeword of the same code with smaller chunks. A slice is such a range, small enough to stay in cache
// from reading to writing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "parapet/region.h"

namespace parapet::shard {

/// Bytes [position, position + length) of every sub-chunk; both are multiples of the block size.
struct Slice {
  std::size_t position = 0;
  std::size_t length = 0;
};

/// The slice length for a code of n chunks: at most a unit, and little enough for all chunks to stay in cache.
std::size_t slice_length_max(unsigned n, unsigned alpha, std::size_t unit_size);

/// Calls `visit(slice)` for the slices of a stripe until one fails; returns the failure. `visit` returns a
/// Result<void>.
template <class Visit>
auto for_each_slice(std::size_t sub_chunk_size, std::size_t length_max, Visit visit) -> decltype(visit(Slice{})) {
  for (std::size_t position = 0; position < sub_chunk_size; position += length_max) {
    const std::size_t rest = sub_chunk_size - position;
    if (auto done = visit(Slice{position, rest < length_max ? rest : length_max}); !done) return done;
  }
  return {};
}

/// Memory for one slice of n chunks. The pieces of a chunk lie one after the other, so that a chunk is one region.
class SliceBuffer {
 public:
  SliceBuffer(unsigned n, unsigned alpha, std::size_t length_max);

  [[nodiscard]] unsigned chunk_count() const { return chunk_count_; }
  [[nodiscard]] unsigned alpha() const { return alpha_; }
  /// The gathered chunk, alpha * slice.length bytes.
  [[nodiscard]] std::span<std::uint8_t> chunk(unsigned index, const Slice& slice) const {
    return {bytes_.data() + index * stride_, alpha_ * slice.length};
  }
  /// The part of it that belongs to one sub-chunk.
  [[nodiscard]] std::span<std::uint8_t> piece(unsigned index, unsigned sub_chunk, const Slice& slice) const {
    return chunk(index, slice).subspan(sub_chunk * slice.length, slice.length);
  }
  [[nodiscard]] Region region(unsigned index, const Slice& slice) const {
    const auto bytes = chunk(index, slice);
    return {bytes.data(), bytes.size()};
  }

 private:
  unsigned chunk_count_;
  unsigned alpha_;
  std::size_t stride_;
  base::AlignedBuffer bytes_;
};

}  // namespace parapet::shard

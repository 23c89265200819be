// How stripes are cut into rows, which are coded by themselves. docs/formats/shard.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>

#include "layout/shard_header.h"

namespace parapet::layout {

/// A row is the least part of a stripe that is whole blocks and again a stripe of the same code. A code acts on every
/// byte position of its sub-chunks alike, or if it has packets, on every round of them. So a chunk is one part or more
/// of equal size, and a row has a piece, at the same position, of each part of each chunk:
///
///     contiguous sub-chunks   each is a part, and a block of it is a piece
///     packets                 the chunk is the only part, and a piece is the least that holds whole blocks and rounds
class Rows {
 public:
  /// alpha and packet_size: those of the code.
  Rows(unsigned alpha, std::size_t packet_size)
      : part_count_(packet_size == 0 ? alpha : 1),
        piece_size_(packet_size == 0 ? block_size : std::lcm(std::size_t{block_size}, alpha * packet_size)) {}

  [[nodiscard]] unsigned part_count() const { return part_count_; }
  [[nodiscard]] std::size_t piece_size() const { return piece_size_; }
  /// Bytes of a row in one chunk. Chunk sizes are multiples of it.
  [[nodiscard]] std::size_t granule() const { return part_count_ * piece_size_; }
  [[nodiscard]] std::size_t part_size(std::size_t chunk_size) const { return chunk_size / part_count_; }

 private:
  unsigned part_count_;
  std::size_t piece_size_;
};

}  // namespace parapet::layout

// Changes of a parity chunk, row by row: deltas of data chunks, multiplied when they are added.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/aligned_buffer.h"
#include "layout/rows.h"
#include "parapet/codec.h"

namespace parapet::store {

/// How the chunks of a segment are cut into rows, which are coded by themselves. Immutable.
class RowGeometry {
 public:
  RowGeometry(const Code& code, std::uint32_t chunk_size)
      : rows_(code.alpha(), code.packet_size()), part_size_(rows_.part_size(chunk_size)) {}

  /// Bytes of a row in one chunk.
  [[nodiscard]] std::size_t row_size() const { return rows_.granule(); }
  [[nodiscard]] std::uint32_t row_count() const { return static_cast<std::uint32_t>(part_size_ / rows_.piece_size()); }

  /// Where byte `offset` of a chunk lies, and how many bytes from it on lie together there.
  struct Place {
    std::uint32_t row;
    std::size_t offset;
    std::size_t length;
  };
  [[nodiscard]] Place place_of(std::size_t offset) const;

  /// The blocks of a row, in the order in which the row's bytes hold them.
  [[nodiscard]] std::vector<std::uint32_t> blocks_of(std::uint32_t row) const;

 private:
  layout::Rows rows_;
  std::size_t part_size_;
};

/// What deltas change in parity chunk `k + parity_index`: per touched row, the bytes to XOR onto it. For one thread.
class ParityRows {
 public:
  ParityRows(const Code& code, const RowGeometry& geometry, unsigned parity_index)
      : code_(code), geometry_(geometry), parity_index_(parity_index) {}

  /// Adds old XOR new bytes of data chunk `chain` from `offset` on.
  void add(unsigned chain, std::size_t offset, std::span<const std::uint8_t> delta);
  /// The same, for those bytes that lie in `row`.
  void add_in_row(std::uint32_t row, unsigned chain, std::size_t offset, std::span<const std::uint8_t> delta);

  [[nodiscard]] const std::map<std::uint32_t, base::AlignedBuffer>& rows() const { return rows_; }

 private:
  void add_piece(const RowGeometry::Place& place, unsigned chain, std::span<const std::uint8_t> delta);
  const Code& code_;
  const RowGeometry& geometry_;
  unsigned parity_index_;
  std::map<std::uint32_t, base::AlignedBuffer> rows_;
};

}  // namespace parapet::store

// Chunk sets as the lists that linear algebra wants.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/code_impl.h"
#include "codec/solve.h"

namespace parapet::codec {

/// Ascending data indices, and parity rows counted from 0.
struct Known {
  std::vector<std::uint32_t> data;
  std::vector<std::uint32_t> parity;
};

inline Known known_chunks(const ChunkSet& available, const Shape& shape) {
  Known known;
  for (const unsigned chunk : available) {
    if (chunk < shape.k)
      known.data.push_back(chunk);
    else if (chunk < shape.n())
      known.parity.push_back(chunk - shape.k);
  }
  return known;
}

inline std::vector<std::uint32_t> list(const ChunkSet& set) { return {set.begin(), set.end()}; }

/// One row over the generator's columns for each index: see `set_wanted_row`.
inline gf::Matrix wanted_rows(const gf::Matrix& generator, std::span<const std::uint32_t> indices) {
  gf::Matrix rows(indices.size(), generator.column_count());
  for (std::size_t i = 0; i < indices.size(); ++i) set_wanted_row(generator, indices[i], rows.row(i));
  return rows;
}

}  // namespace parapet::codec

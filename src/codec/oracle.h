// For tests: what every code must compute, slowly and by definition. Shares no line with the codec or the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parapet/chunk_set.h"

namespace parapet::codec {

using Bytes = std::vector<std::uint8_t>;

/// A code by its definition. Decoding follows from encoding alone: the generator is what encoding does to unit vectors,
/// and unknown data are found by Gaussian elimination over all sub-chunks at once.
class Oracle {
 public:
  /// text: "rs(k,m)", "rs(k,m,matrix=NAME)" or "xrs(k,m)", without blanks and right.
  explicit Oracle(const std::string& text);

  [[nodiscard]] unsigned k() const { return k_; }
  [[nodiscard]] unsigned m() const { return m_; }
  [[nodiscard]] unsigned n() const { return k_ + m_; }
  [[nodiscard]] unsigned alpha() const { return is_xrs_ ? 2 : 1; }
  /// The coefficients of plain Reed-Solomon, row by row: m rows of k.
  [[nodiscard]] const std::vector<Bytes>& matrix() const { return matrix_; }
  /// The data chunks whose first halves ride on parity `row` (0..m-1), ascending. Empty for rs.
  [[nodiscard]] std::vector<unsigned> group(unsigned row) const;

  /// All n chunks, from k data chunks of one size.
  [[nodiscard]] std::vector<Bytes> encode(const std::vector<Bytes>& data) const;

  /// All n chunks, from those of `chunks` that are in `available`; nothing when they do not determine the rest.
  [[nodiscard]] std::optional<std::vector<Bytes>> decode(const std::vector<Bytes>& chunks,
                                                         const ChunkSet& available) const;
  [[nodiscard]] bool decodable(const ChunkSet& available) const;

 private:
  [[nodiscard]] std::vector<Bytes> generator() const;

  unsigned k_ = 0;
  unsigned m_ = 0;
  bool is_xrs_ = false;
  std::vector<Bytes> matrix_;
  std::vector<Bytes> generator_;  // n * alpha rows by k * alpha columns
};

}  // namespace parapet::codec

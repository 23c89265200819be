// Matrices over GF(2^8) with few elements that are not zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gf/matrix.h"

namespace parapet::codec {

struct Entry {
  std::uint32_t column = 0;
  std::uint8_t coefficient = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// A row: ascending columns, no zero.
using SparseRow = std::vector<Entry>;

/// target += factor * source.
void add_scaled(SparseRow& target, std::span<const Entry> source, std::uint8_t factor);

/// Rows by number. Grows row by row, then stays.
class SparseMatrix {
 public:
  SparseMatrix() = default;
  explicit SparseMatrix(std::size_t column_count) : column_count_(column_count) {}
  explicit SparseMatrix(const gf::Matrix& dense);

  /// entries: in any order, each column at most once; zeros are left out.
  void add_row(SparseRow entries);

  [[nodiscard]] std::size_t row_count() const { return rows_.size(); }
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  [[nodiscard]] const SparseRow& row(std::size_t index) const { return rows_[index]; }
  [[nodiscard]] std::uint8_t at(std::size_t row, std::uint32_t column) const;
  /// Whether it holds zeros and ones only.
  [[nodiscard]] bool is_binary() const;

 private:
  std::size_t column_count_ = 0;
  std::vector<SparseRow> rows_;
};

/// Some rows and columns as a dense matrix, in the order given.
gf::Matrix pick(const SparseMatrix& matrix, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> columns);

}  // namespace parapet::codec

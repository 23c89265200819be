// Matrices over GF(2^8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace parapet::gf {

/// A dense matrix, row-major. Indices are not checked in release builds of the caller: they are programmer errors.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t row_count, std::size_t column_count)
      : row_count_(row_count), column_count_(column_count), elements_(row_count * column_count) {}
  static Matrix identity(std::size_t size);

  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  std::uint8_t& at(std::size_t row, std::size_t column) { return elements_[row * column_count_ + column]; }
  [[nodiscard]] std::uint8_t at(std::size_t row, std::size_t column) const {
    return elements_[row * column_count_ + column];
  }
  [[nodiscard]] std::span<std::uint8_t> row(std::size_t index) {
    return {elements_.data() + index * column_count_, column_count_};
  }
  [[nodiscard]] std::span<const std::uint8_t> row(std::size_t index) const {
    return {elements_.data() + index * column_count_, column_count_};
  }
  friend bool operator==(const Matrix&, const Matrix&) = default;

 private:
  std::size_t row_count_ = 0;
  std::size_t column_count_ = 0;
  std::vector<std::uint8_t> elements_;
};

/// target += factor * source, element by element; equal lengths.
void add_scaled_row(std::span<std::uint8_t> target, std::span<const std::uint8_t> source, std::uint8_t factor);

/// a.column_count() must equal b.row_count().
Matrix multiply(const Matrix& a, const Matrix& b);

/// The inverse of a square matrix, or nothing when it is singular.
std::optional<Matrix> invert(const Matrix& matrix);

/// The number of independent rows.
std::size_t rank(const Matrix& matrix);

/// The span of some rows.
class Span {
 public:
  explicit Span(const Matrix& rows);
  /// `row` as a combination of the rows: one factor each; nothing when it is outside the span. Rows that come first are
  /// preferred: a row is used only if it is independent of those before it.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> express(std::span<const std::uint8_t> row) const;
  [[nodiscard]] std::size_t dimension() const { return dimension_; }

 private:
  void take(std::size_t index);
  void reduce(std::span<std::uint8_t> row, std::span<std::uint8_t> combination) const;

  // The rows in echelon form, each scaled to a pivot of 1; the combination of the original rows that each is; and which
  // row has its pivot in a column.
  Matrix reduced_;
  Matrix combination_;
  std::vector<std::size_t> row_of_pivot_;
  std::size_t dimension_ = 0;
};

/// X with X * rows = wanted: each wanted row as `Span` expresses it; nothing when one is outside.
std::optional<Matrix> express(const Matrix& wanted, const Matrix& rows);

}  // namespace parapet::gf

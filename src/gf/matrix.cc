#include "gf/matrix.h"

#include <algorithm>

#include "base/assert.h"
#include "gf/gf256.h"

namespace parapet::gf {

namespace {

constexpr std::size_t no_pivot = ~std::size_t{0};

std::size_t first_nonzero(std::span<const std::uint8_t> row) {
  const auto found = std::find_if(row.begin(), row.end(), [](std::uint8_t element) { return element != 0; });
  return found == row.end() ? no_pivot : static_cast<std::size_t>(found - row.begin());
}

void scale_row(std::span<std::uint8_t> row, std::uint8_t factor) {
  for (std::uint8_t& element : row) element = multiply(element, factor);
}

}  // namespace

Matrix Matrix::identity(std::size_t size) {
  Matrix result(size, size);
  for (std::size_t i = 0; i < size; ++i) result.at(i, i) = 1;
  return result;
}

void add_scaled_row(std::span<std::uint8_t> target, std::span<const std::uint8_t> source, std::uint8_t factor) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] ^= multiply(source[i], factor);
}

Matrix multiply(const Matrix& a, const Matrix& b) {
  PARAPET_ASSERT(a.column_count() == b.row_count());
  Matrix result(a.row_count(), b.column_count());
  for (std::size_t i = 0; i < a.row_count(); ++i)
    for (std::size_t j = 0; j < a.column_count(); ++j)
      if (a.at(i, j) != 0) add_scaled_row(result.row(i), b.row(j), a.at(i, j));
  return result;
}

std::optional<Matrix> invert(const Matrix& matrix) {
  PARAPET_ASSERT(matrix.row_count() == matrix.column_count());
  return express(Matrix::identity(matrix.row_count()), matrix);
}

Span::Span(const Matrix& rows)
    : reduced_(rows), combination_(Matrix::identity(rows.row_count())), row_of_pivot_(rows.column_count(), no_pivot) {
  for (std::size_t i = 0; i < rows.row_count(); ++i) take(i);
}

void Span::take(std::size_t index) {
  const auto row = reduced_.row(index);
  reduce(row, combination_.row(index));
  const std::size_t pivot = first_nonzero(row);
  if (pivot == no_pivot) return;
  const std::uint8_t factor = inverse(row[pivot]);
  scale_row(row, factor);
  scale_row(combination_.row(index), factor);
  row_of_pivot_[pivot] = index;
  ++dimension_;
}

/// Subtracts rows until no pivot position of `row` is left; `combination` receives what was subtracted.
void Span::reduce(std::span<std::uint8_t> row, std::span<std::uint8_t> combination) const {
  for (std::size_t column = 0; column < row.size(); ++column) {
    const std::size_t source = row_of_pivot_[column];
    if (row[column] == 0 || source == no_pivot) continue;
    const std::uint8_t factor = row[column];
    add_scaled_row(row, reduced_.row(source), factor);
    add_scaled_row(combination, combination_.row(source), factor);
  }
}

std::optional<std::vector<std::uint8_t>> Span::express(std::span<const std::uint8_t> row) const {
  std::vector<std::uint8_t> rest(row.begin(), row.end());
  std::vector<std::uint8_t> combination(reduced_.row_count());
  reduce(rest, combination);
  if (first_nonzero(rest) != no_pivot) return std::nullopt;
  return combination;
}

std::size_t rank(const Matrix& matrix) { return Span(matrix).dimension(); }

std::optional<Matrix> express(const Matrix& wanted, const Matrix& rows) {
  PARAPET_ASSERT(wanted.column_count() == rows.column_count());
  const Span span(rows);
  Matrix result(wanted.row_count(), rows.row_count());
  for (std::size_t i = 0; i < wanted.row_count(); ++i) {
    const auto combination = span.express(wanted.row(i));
    if (!combination) return std::nullopt;
    std::copy(combination->begin(), combination->end(), result.row(i).begin());
  }
  return result;
}

}  // namespace parapet::gf

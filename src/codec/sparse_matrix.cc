#include "codec/sparse_matrix.h"

#include <algorithm>

#include "base/assert.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

bool by_column(const Entry& a, const Entry& b) { return a.column < b.column; }

}  // namespace

void add_scaled(SparseRow& target, std::span<const Entry> source, std::uint8_t factor) {
  SparseRow sum;
  std::size_t i = 0;
  for (const Entry& entry : source) {
    while (i < target.size() && target[i].column < entry.column) sum.push_back(target[i++]);
    std::uint8_t coefficient = gf::multiply(entry.coefficient, factor);
    if (i < target.size() && target[i].column == entry.column) coefficient ^= target[i++].coefficient;
    if (coefficient != 0) sum.push_back({entry.column, coefficient});
  }
  sum.insert(sum.end(), target.begin() + static_cast<std::ptrdiff_t>(i), target.end());
  target = std::move(sum);
}

SparseMatrix::SparseMatrix(const gf::Matrix& dense) : column_count_(dense.column_count()) {
  for (std::size_t i = 0; i < dense.row_count(); ++i) {
    SparseRow row;
    for (std::uint32_t j = 0; j < column_count_; ++j) row.push_back({j, dense.at(i, j)});
    add_row(std::move(row));
  }
}

void SparseMatrix::add_row(SparseRow entries) {
  std::erase_if(entries, [](const Entry& entry) { return entry.coefficient == 0; });
  std::sort(entries.begin(), entries.end(), by_column);
  PARAPET_ASSERT(entries.empty() || entries.back().column < column_count_);
  rows_.push_back(std::move(entries));
}

std::uint8_t SparseMatrix::at(std::size_t row, std::uint32_t column) const {
  const auto found = std::lower_bound(rows_[row].begin(), rows_[row].end(), Entry{column, 0}, by_column);
  return found != rows_[row].end() && found->column == column ? found->coefficient : std::uint8_t{0};
}

bool SparseMatrix::is_binary() const {
  return std::all_of(rows_.begin(), rows_.end(), [](const SparseRow& row) {
    return std::all_of(row.begin(), row.end(), [](const Entry& entry) { return entry.coefficient == 1; });
  });
}

gf::Matrix pick(const SparseMatrix& matrix, std::span<const std::uint32_t> rows,
                std::span<const std::uint32_t> columns) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(matrix.column_count(), none);
  for (std::uint32_t j = 0; j < columns.size(); ++j) place[columns[j]] = j;
  gf::Matrix result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Entry& entry : matrix.row(rows[i]))
      if (place[entry.column] != none) result.at(i, place[entry.column]) = entry.coefficient;
  return result;
}

}  // namespace parapet::codec

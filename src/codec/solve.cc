#include "codec/solve.h"

#include <algorithm>

namespace parapet::codec {

namespace {

/// Some rows and columns of a matrix.
gf::Matrix pick(const gf::Matrix& matrix, std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
  gf::Matrix result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) result.at(i, j) = matrix.at(rows[i], columns[j]);
  return result;
}

std::vector<std::uint32_t> count_up(std::size_t count) {
  std::vector<std::uint32_t> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<std::uint32_t>(i);
  return result;
}

std::vector<std::uint32_t> complement(std::span<const std::uint32_t> ascending, std::size_t count) {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t index : count_up(count))
    if (!std::binary_search(ascending.begin(), ascending.end(), index)) result.push_back(index);
  return result;
}

bool is_zero_column(const gf::Matrix& matrix, std::size_t column) {
  for (std::size_t i = 0; i < matrix.row_count(); ++i)
    if (matrix.at(i, column) != 0) return false;
  return true;
}

/// Leaves out the sources that no row uses.
Solution trim(const gf::Matrix& coefficients, std::span<const std::uint32_t> data_columns,
              std::span<const std::uint32_t> parity_rows) {
  Solution result;
  std::vector<std::uint32_t> used;
  for (std::uint32_t j = 0; j < coefficients.column_count(); ++j) {
    if (is_zero_column(coefficients, j)) continue;
    used.push_back(j);
    if (j < data_columns.size())
      result.data_columns.push_back(data_columns[j]);
    else
      result.parity_rows.push_back(parity_rows[j - data_columns.size()]);
  }
  result.coefficients = pick(coefficients, count_up(coefficients.row_count()), used);
  return result;
}

}  // namespace

std::optional<Solution> solve(const gf::Matrix& generator, std::span<const std::uint32_t> known_columns,
                              std::span<const std::uint32_t> usable_parity_rows, const gf::Matrix& wanted) {
  const auto unknown_columns = complement(known_columns, generator.column_count());
  const auto wanted_rows = count_up(wanted.row_count());
  const auto parity_share =
      gf::express(pick(wanted, wanted_rows, unknown_columns), pick(generator, usable_parity_rows, unknown_columns));
  if (!parity_share) return std::nullopt;

  // What the parities bring of known data is taken out again (in characteristic 2: added once more).
  const gf::Matrix brought = gf::multiply(*parity_share, pick(generator, usable_parity_rows, known_columns));
  gf::Matrix coefficients(wanted.row_count(), known_columns.size() + usable_parity_rows.size());
  for (std::size_t i = 0; i < wanted.row_count(); ++i) {
    for (std::size_t j = 0; j < known_columns.size(); ++j)
      coefficients.at(i, j) = wanted.at(i, known_columns[j]) ^ brought.at(i, j);
    for (std::size_t j = 0; j < usable_parity_rows.size(); ++j)
      coefficients.at(i, known_columns.size() + j) = parity_share->at(i, j);
  }
  return trim(coefficients, known_columns, usable_parity_rows);
}

void set_wanted_row(const gf::Matrix& generator, std::uint32_t index, std::span<std::uint8_t> row) {
  if (index >= generator.column_count()) {
    const auto source = generator.row(index - generator.column_count());
    std::copy(source.begin(), source.end(), row.begin());
  } else {
    std::fill(row.begin(), row.end(), std::uint8_t{0});
    row[index] = 1;
  }
}

}  // namespace parapet::codec

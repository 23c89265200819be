#include "codec/bitmatrix/cauchy_elements.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace parapet::codec {

namespace {

constexpr unsigned w_max_of_best_elements = 11;

using Row = std::vector<std::uint32_t>;

/// All elements but zero, those with fewest ones first.
Row elements_by_ones(const BinaryField& field) {
  Row elements((std::size_t{1} << field.w()) - 1);
  std::iota(elements.begin(), elements.end(), 1U);
  std::ranges::stable_sort(elements, {}, [&](std::uint32_t element) { return one_count(element, field); });
  return elements;
}

unsigned ones_in(const Row& row, const BinaryField& field) {
  unsigned total = 0;
  for (const std::uint32_t element : row) total += one_count(element, field);
  return total;
}

Row divided(Row row, std::uint32_t divisor, const BinaryField& field) {
  const std::uint32_t factor = field.inverse(divisor);
  for (std::uint32_t& element : row) element = field.multiply(element, factor);
  return row;
}

/// The row divided by the element of it that leaves fewest ones, the first of equals; as it is where none does better.
Row with_fewest_ones(const Row& row, const BinaryField& field) {
  Row best = row;
  unsigned best_ones = ones_in(row, field);
  for (const std::uint32_t divisor : row) {
    if (divisor == 1) continue;
    Row candidate = divided(row, divisor, field);
    const unsigned ones = ones_in(candidate, field);
    if (ones >= best_ones) continue;
    best = std::move(candidate);
    best_ones = ones;
  }
  return best;
}

}  // namespace

unsigned one_count(std::uint32_t element, const BinaryField& field) {
  unsigned ones = 0;
  for (unsigned x = 0; x < field.w(); ++x, element = field.multiply(element, 2))
    ones += static_cast<unsigned>(std::popcount(element));
  return ones;
}

ElementMatrix cauchy_orig_elements(unsigned k, unsigned m, const BinaryField& field) {
  ElementMatrix rows(m, Row(k));
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < k; ++j) rows[i][j] = field.inverse(i ^ (m + j));
  return rows;
}

ElementMatrix cauchy_good_elements(unsigned k, unsigned m, const BinaryField& field) {
  if (m == 2 && field.w() <= w_max_of_best_elements) {
    Row best = elements_by_ones(field);
    best.resize(k);
    return {Row(k, 1), std::move(best)};
  }
  ElementMatrix rows = cauchy_orig_elements(k, m, field);
  for (unsigned j = 0; j < k; ++j) {
    const std::uint32_t factor = field.inverse(rows[0][j]);
    for (Row& row : rows) row[j] = field.multiply(row[j], factor);
  }
  for (unsigned i = 1; i < m; ++i) rows[i] = with_fewest_ones(rows[i], field);
  return rows;
}

}  // namespace parapet::codec

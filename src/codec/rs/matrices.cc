#include "codec/rs/matrices.h"

#include <algorithm>

#include "base/assert.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

/// The rows of `matrix` below its first k.
gf::Matrix below(const gf::Matrix& matrix, std::size_t k) {
  gf::Matrix result(matrix.row_count() - k, matrix.column_count());
  for (std::size_t r = 0; r < result.row_count(); ++r)
    for (std::size_t c = 0; c < result.column_count(); ++c) result.at(r, c) = matrix.at(k + r, c);
  return result;
}

/// Column operations that turn the top k rows into the identity: matrix * inverse(top). Its parity rows.
gf::Matrix systematic_parity(const gf::Matrix& matrix) {
  const std::size_t k = matrix.column_count();
  gf::Matrix top(k, k);
  for (std::size_t r = 0; r < k; ++r)
    for (std::size_t c = 0; c < k; ++c) top.at(r, c) = matrix.at(r, c);
  const auto inverse = gf::invert(top);
  PARAPET_ASSERT(inverse.has_value());  // a Vandermonde matrix of distinct points
  return gf::multiply(below(matrix, k), *inverse);
}

/// Rows (1, x, x^2, ...) of the points x = 0, 1, ..., count-1.
gf::Matrix vandermonde_rows(unsigned count, unsigned k) {
  gf::Matrix result(count, k);
  for (unsigned r = 0; r < count; ++r)
    for (unsigned c = 0; c < k; ++c) result.at(r, c) = gf::power(static_cast<std::uint8_t>(r), c);
  return result;
}

}  // namespace

gf::Matrix cauchy_matrix(unsigned k, unsigned m) {
  gf::Matrix result(m, k);
  for (unsigned r = 0; r < m; ++r)
    for (unsigned c = 0; c < k; ++c) result.at(r, c) = gf::inverse(static_cast<std::uint8_t>((k + r) ^ c));
  return result;
}

gf::Matrix isal_matrix(unsigned k, unsigned m) {
  gf::Matrix result(m, k);
  for (unsigned r = 0; r < m; ++r)
    for (unsigned c = 0; c < k; ++c) result.at(r, c) = gf::power(2, r * c);
  return result;
}

// The matrix is symmetric in r and c, hence so is the rule. Up to three rows every square part is a Vandermonde matrix
// of distinct points or a row or column multiple of one. Beyond, exhaustive search found the first singular parts in
// rows (0,1,3) x columns (0,10,21) and, from five rows on, (0,1,4) x (0,3,5).
bool isal_matrix_is_mds(unsigned k, unsigned m) {
  const unsigned low = std::min(k, m);
  const unsigned high = std::max(k, m);
  return low <= 3 || (low == 4 && high <= 21) || (low == 5 && high == 5);
}

gf::Matrix par1_matrix(unsigned k, unsigned m) {
  gf::Matrix result(m, k);
  for (unsigned r = 0; r < m; ++r)
    for (unsigned c = 0; c < k; ++c) result.at(r, c) = gf::power(static_cast<std::uint8_t>(c + 1), r);
  return result;
}

gf::Matrix vandermonde_matrix(unsigned k, unsigned m) { return systematic_parity(vandermonde_rows(k + m, k)); }

gf::Matrix jerasure_matrix(unsigned k, unsigned m) {
  // Extended: the last row is the point at infinity, (0, ..., 0, 1).
  gf::Matrix extended = vandermonde_rows(k + m, k);
  for (unsigned c = 0; c < k; ++c) extended.at(k + m - 1, c) = c + 1 == k ? 1 : 0;
  gf::Matrix result = systematic_parity(extended);
  for (unsigned c = 0; c < k; ++c) {
    const std::uint8_t factor = gf::inverse(result.at(0, c));
    for (unsigned r = 0; r < m; ++r) result.at(r, c) = gf::multiply(result.at(r, c), factor);
  }
  for (unsigned r = 1; r < m; ++r) {
    const std::uint8_t factor = gf::inverse(result.at(r, 0));
    for (unsigned c = 0; c < k; ++c) result.at(r, c) = gf::multiply(result.at(r, c), factor);
  }
  return result;
}

}  // namespace parapet::codec

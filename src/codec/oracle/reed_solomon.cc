#include "codec/oracle/reed_solomon.h"

#include <stdexcept>

namespace parapet::codec::oracle {

namespace {

/// Column operations that turn the first k rows into the identity. Returns the other rows.
std::vector<Bytes> systematic(const std::vector<Bytes>& rows) {
  auto columns = transposed(rows);  // row operations on the transpose
  if (!eliminate(columns, columns.size())) throw std::logic_error("the top of the matrix is singular");
  const auto result = transposed(columns);
  return {result.begin() + static_cast<std::ptrdiff_t>(columns.size()), result.end()};
}

std::vector<Bytes> cauchy(unsigned k, unsigned m) {
  std::vector<Bytes> rows(m, Bytes(k));
  for (unsigned r = 0; r < m; ++r)
    for (unsigned j = 0; j < k; ++j) rows[r][j] = inverse(static_cast<std::uint8_t>((k + r) ^ j));
  return rows;
}

std::vector<Bytes> isal(unsigned k, unsigned m) {
  std::vector<Bytes> rows(m, Bytes(k));
  for (unsigned r = 0; r < m; ++r)
    for (unsigned c = 0; c < k; ++c) rows[r][c] = power(2, r * c);
  return rows;
}

std::vector<Bytes> par1(unsigned k, unsigned m) {
  std::vector<Bytes> rows(m, Bytes(k));
  for (unsigned r = 0; r < m; ++r)
    for (unsigned c = 0; c < k; ++c) rows[r][c] = power(c + 1, r);
  return rows;
}

std::vector<Bytes> vandermonde(unsigned k, unsigned m) {
  std::vector<Bytes> rows(k + m, Bytes(k));
  for (unsigned r = 0; r < k + m; ++r)
    for (unsigned c = 0; c < k; ++c) rows[r][c] = power(r, c);
  return systematic(rows);
}

/// Plank, Ding: "Note: Correction to the 1997 tutorial on Reed-Solomon coding" (2003), and the scaling of Jerasure 2.0:
/// first the columns so that the first parity row is all ones, then the rows so that their first elements are ones.
std::vector<Bytes> jerasure(unsigned k, unsigned m) {
  std::vector<Bytes> rows(k + m, Bytes(k));
  for (unsigned r = 0; r + 1 < k + m; ++r)
    for (unsigned c = 0; c < k; ++c) rows[r][c] = power(r, c);
  rows.back().back() = 1;
  std::vector<Bytes> parity = systematic(rows);
  auto columns = transposed(parity);
  for (Bytes& column : columns) scale(column, inverse(column[0]));
  parity = transposed(columns);
  for (Bytes& row : parity) scale(row, inverse(row[0]));
  return parity;
}

}  // namespace

std::vector<Bytes> reed_solomon_matrix(const std::string& name, unsigned k, unsigned m) {
  if (name == "cauchy") return cauchy(k, m);
  if (name == "isal") return isal(k, m);
  if (name == "jerasure") return jerasure(k, m);
  if (name == "par1") return par1(k, m);
  if (name == "vandermonde") return vandermonde(k, m);
  throw std::invalid_argument("unknown matrix " + name);
}

}  // namespace parapet::codec::oracle

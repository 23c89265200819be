#include "codec/oracle.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace parapet::codec {

namespace {

/// Polynomials over GF(2) modulo x^8+x^4+x^3+x^2+1, for all pairs.
const std::vector<Bytes> products = [] {
  std::vector<Bytes> table(256, Bytes(256));
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) {
      unsigned product = 0;
      for (unsigned bit = 0, shifted = a; bit < 8; ++bit) {
        if ((b >> bit & 1) != 0) product ^= shifted;
        shifted <<= 1;
        if (shifted > 255) shifted ^= 0x11D;
      }
      table[a][b] = static_cast<std::uint8_t>(product);
    }
  return table;
}();

std::uint8_t times(std::uint8_t a, std::uint8_t b) { return products[a][b]; }

std::uint8_t inverse(std::uint8_t a) {
  for (unsigned b = 1; b < 256; ++b)
    if (times(a, static_cast<std::uint8_t>(b)) == 1) return static_cast<std::uint8_t>(b);
  throw std::logic_error("zero has no inverse");
}

std::uint8_t power(unsigned a, unsigned n) {
  std::uint8_t result = 1;
  for (; n > 0; --n) result = times(result, static_cast<std::uint8_t>(a));
  return result;
}

void add_scaled(Bytes& target, const Bytes& source, std::uint8_t factor) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] ^= times(source[i], factor);
}

void scale(Bytes& row, std::uint8_t factor) {
  for (std::uint8_t& element : row) element = times(element, factor);
}

/// Brings the first `column_count` columns to reduced row form, the pivots of column 0, 1, ... in rows 0, 1, ...
/// Returns whether every one of these columns has a pivot.
bool eliminate(std::vector<Bytes>& rows, std::size_t column_count) {
  for (std::size_t column = 0; column < column_count; ++column) {
    std::size_t pivot = column;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot >= rows.size()) return false;
    std::swap(rows[pivot], rows[column]);
    scale(rows[column], inverse(rows[column][column]));
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (i != column && rows[i][column] != 0) add_scaled(rows[i], rows[column], rows[i][column]);
  }
  return true;
}

std::vector<Bytes> transposed(const std::vector<Bytes>& rows) {
  std::vector<Bytes> result(rows[0].size(), Bytes(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) result[j][i] = rows[i][j];
  return result;
}

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

std::vector<Bytes> named_matrix(const std::string& name, unsigned k, unsigned m) {
  if (name == "cauchy") return cauchy(k, m);
  if (name == "isal") return isal(k, m);
  if (name == "vandermonde") return vandermonde(k, m);
  if (name == "jerasure") return jerasure(k, m);
  throw std::invalid_argument("unknown matrix " + name);
}

}  // namespace

Oracle::Oracle(const std::string& text) {
  char name[16] = "cauchy";
  is_xrs_ = text[0] == 'x';
  if (std::sscanf(text.c_str(), is_xrs_ ? "xrs(%u,%u)" : "rs(%u,%u,matrix=%15[a-z])", &k_, &m_, name) < 2)
    throw std::invalid_argument("unknown code " + text);
  matrix_ = named_matrix(name, k_, m_);
  generator_ = generator();
}

std::vector<unsigned> Oracle::group(unsigned row) const {
  std::vector<unsigned> result;
  for (unsigned i = 0; is_xrs_ && i < k_; ++i)
    if (1 + i % (m_ - 1) == row) result.push_back(i);
  return result;
}

std::vector<Bytes> Oracle::encode(const std::vector<Bytes>& data) const {
  std::vector<Bytes> chunks = data;
  const std::size_t half = data[0].size() / 2;
  for (unsigned r = 0; r < m_; ++r) {
    Bytes parity(data[0].size());
    for (unsigned j = 0; j < k_; ++j) add_scaled(parity, data[j], matrix_[r][j]);
    for (const unsigned i : group(r))
      for (std::size_t at = 0; at < half; ++at) parity[half + at] ^= data[i][at];
    chunks.push_back(parity);
  }
  return chunks;
}

/// Chunks of `alpha` bytes have sub-chunks of one byte.
std::vector<Bytes> Oracle::generator() const {
  std::vector<Bytes> rows(n() * alpha(), Bytes(k_ * alpha()));
  for (unsigned column = 0; column < k_ * alpha(); ++column) {
    std::vector<Bytes> unit(k_, Bytes(alpha()));
    unit[column / alpha()][column % alpha()] = 1;
    const auto chunks = encode(unit);
    for (unsigned row = 0; row < rows.size(); ++row) rows[row][column] = chunks[row / alpha()][row % alpha()];
  }
  return rows;
}

std::optional<std::vector<Bytes>> Oracle::decode(const std::vector<Bytes>& chunks, const ChunkSet& available) const {
  std::vector<Bytes> equations;  // the generator's row of an available sub-chunk, then its bytes
  std::size_t sub_size = 0;
  for (const unsigned chunk : available) {
    sub_size = chunks[chunk].size() / alpha();
    for (unsigned sub = 0; sub < alpha(); ++sub) {
      equations.push_back(generator_[chunk * alpha() + sub]);
      const auto from = chunks[chunk].begin() + static_cast<std::ptrdiff_t>(sub * sub_size);
      equations.back().insert(equations.back().end(), from, from + static_cast<std::ptrdiff_t>(sub_size));
    }
  }
  const std::size_t unknown_count = std::size_t{k_} * alpha();
  if (!eliminate(equations, unknown_count)) return std::nullopt;
  std::vector<Bytes> data(k_);
  for (std::size_t i = 0; i < unknown_count; ++i)
    data[i / alpha()].insert(data[i / alpha()].end(), equations[i].begin() + static_cast<std::ptrdiff_t>(unknown_count),
                             equations[i].end());
  return encode(data);
}

bool Oracle::decodable(const ChunkSet& available) const {
  return decode(std::vector<Bytes>(n()), available).has_value();
}

}  // namespace parapet::codec

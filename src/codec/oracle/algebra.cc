#include "codec/oracle/algebra.h"

#include <stdexcept>
#include <utility>

namespace parapet::codec::oracle {

namespace {

/// For all pairs.
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

}  // namespace

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

void add(Bytes& target, const Bytes& source) {
  for (std::size_t i = 0; i < target.size(); ++i) target[i] ^= source[i];
}

void add_scaled(Bytes& target, const Bytes& source, std::uint8_t factor) {
  const Bytes& product = products[factor];
  for (std::size_t i = 0; i < target.size(); ++i) target[i] ^= product[source[i]];
}

void scale(Bytes& row, std::uint8_t factor) {
  for (std::uint8_t& element : row) element = times(element, factor);
}

std::vector<Bytes> transposed(const std::vector<Bytes>& rows) {
  std::vector<Bytes> result(rows[0].size(), Bytes(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) result[j][i] = rows[i][j];
  return result;
}

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

std::size_t rank(std::vector<Bytes> rows) {
  std::size_t found = 0;
  for (std::size_t column = 0; !rows.empty() && column < rows[0].size(); ++column) {
    std::size_t pivot = found;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[pivot], rows[found]);
    scale(rows[found], inverse(rows[found][column]));
    for (std::size_t i = found + 1; i < rows.size(); ++i)
      if (rows[i][column] != 0) add_scaled(rows[i], rows[found], rows[i][column]);
    ++found;
  }
  return found;
}

}  // namespace parapet::codec::oracle

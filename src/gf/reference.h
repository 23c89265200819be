// For tests: the field and the kernels' pass by their definitions, byte by byte. Shares nothing with what it checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gf/kernels/kernels.h"

namespace parapet::gf::reference {

/// The product of two polynomials over GF(2), reduced by x^8+x^4+x^3+x^2+1.
constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    if ((b >> bit & 1) != 0) product ^= static_cast<unsigned>(a) << bit;
  for (unsigned bit = 15; bit >= 8; --bit)
    if ((product >> bit & 1) != 0) product ^= 0x11Du << (bit - 8);
  return static_cast<std::uint8_t>(product);
}

/// `multiply` of all pairs, for tests that need many.
inline const std::array<std::array<std::uint8_t, 256>, 256>& products() {
  static const auto table = [] {
    std::array<std::array<std::uint8_t, 256>, 256> result;
    for (unsigned a = 0; a < 256; ++a)
      for (unsigned b = 0; b < 256; ++b)
        result[a][b] = multiply(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
    return result;
  }();
  return table;
}

/// What output `row` of the pass must hold afterwards in [pass.begin, pass.end).
/// coefficients: those that pass.tables was prepared from, in its order.
inline std::vector<std::uint8_t> product_row(const Pass& pass, const std::vector<std::uint8_t>& coefficients,
                                             std::size_t row) {
  std::vector<std::uint8_t> result;
  for (std::size_t at = pass.begin; at < pass.end; ++at) {
    std::uint8_t sum = pass.accumulate ? pass.outputs[row][at] : std::uint8_t{0};
    for (std::size_t j = 0; j < pass.source_count; ++j)
      sum ^= products()[coefficients[j * pass.row_count + row]][pass.sources[j][at]];
    if (pass.terms_end != nullptr)
      for (std::uint32_t t = row == 0 ? 0 : pass.terms_end[row - 1]; t < pass.terms_end[row]; ++t)
        sum ^= pass.terms[pass.term_indices[t]][at];
    result.push_back(sum);
  }
  return result;
}

/// The same for `Kernels::add_product`.
inline std::vector<std::uint8_t> add_product_row(const Pass& pass, const std::vector<std::uint8_t>& coefficients,
                                                 std::size_t row) {
  std::vector<std::uint8_t> result;
  for (std::size_t at = pass.begin; at < pass.end; ++at) {
    std::uint8_t difference = pass.sources[0][at];
    if (pass.source_count == 2) difference ^= pass.sources[1][at];
    result.push_back(pass.outputs[row][at] ^ products()[coefficients[row]][difference]);
  }
  return result;
}

}  // namespace parapet::gf::reference

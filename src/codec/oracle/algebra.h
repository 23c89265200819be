// For tests: linear algebra over GF(2^8), slowly and by definition. Shares no line with the field of the product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parapet::codec {

using Bytes = std::vector<std::uint8_t>;

}  // namespace parapet::codec

namespace parapet::codec::oracle {

/// Polynomials over GF(2) modulo x^8+x^4+x^3+x^2+1.
std::uint8_t times(std::uint8_t a, std::uint8_t b);
std::uint8_t inverse(std::uint8_t a);
std::uint8_t power(unsigned a, unsigned n);

/// target += source, and target += factor * source, byte by byte.
void add(Bytes& target, const Bytes& source);
void add_scaled(Bytes& target, const Bytes& source, std::uint8_t factor);
void scale(Bytes& row, std::uint8_t factor);

std::vector<Bytes> transposed(const std::vector<Bytes>& rows);

/// Brings the first `column_count` columns to reduced row form, the pivots of column 0, 1, ... in rows 0, 1, ...
/// Returns whether every one of these columns has a pivot.
bool eliminate(std::vector<Bytes>& rows, std::size_t column_count);

/// The number of independent rows.
std::size_t rank(std::vector<Bytes> rows);

}  // namespace parapet::codec::oracle

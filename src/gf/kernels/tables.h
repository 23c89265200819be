// The prepared forms of a coefficient c in memory. Defined in tables.cc, which is compiled for the plain machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parapet::gf {

/// Split nibbles, 32 bytes: c * x for x = 0..15, then c * 16x; so c * b = table[b & 15] ^ table[16 + (b >> 4)].
struct NibbleTable {
  static constexpr std::size_t size = 32;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table);
};

/// The 8 by 8 bit matrix of "times c" as gf2p8affineqb wants it, 8 bytes: the byte 7-i gives bit i of the product, its
/// bit j says whether bit j of the operand takes part.
struct AffineTable {
  static constexpr std::size_t size = 8;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table);
};

}  // namespace parapet::gf

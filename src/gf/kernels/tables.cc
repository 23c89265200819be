#include "gf/kernels/tables.h"

#include <cstring>

#include "gf/gf256.h"

namespace parapet::gf {

void NibbleTable::prepare(std::uint8_t coefficient, std::uint8_t* table) {
  for (unsigned x = 0; x < 16; ++x) {
    table[x] = multiply(coefficient, static_cast<std::uint8_t>(x));
    table[16 + x] = multiply(coefficient, static_cast<std::uint8_t>(x << 4));
  }
}

void AffineTable::prepare(std::uint8_t coefficient, std::uint8_t* table) {
  std::memset(table, 0, size);
  for (unsigned j = 0; j < 8; ++j) {
    const std::uint8_t product = multiply(coefficient, static_cast<std::uint8_t>(1u << j));
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned bit = (product >> i) & 1u;
      table[7 - i] = static_cast<std::uint8_t>(table[7 - i] | (bit << j));
    }
  }
}

}  // namespace parapet::gf

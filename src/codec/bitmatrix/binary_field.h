// GF(2^w) for the construction of bit matrices.
#pragma once

#include <array>
#include <cstdint>

namespace parapet::codec {

/// GF(2^w), 2 <= w <= 32, modulo the polynomials of Jerasure and GF-Complete: part of what is on disk.
class BinaryField {
 public:
  explicit BinaryField(unsigned w) : w_(w), modulus_(moduli[w - w_min]) {}
  static constexpr unsigned w_min = 2;
  static constexpr unsigned w_max = 32;

  [[nodiscard]] std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    std::uint64_t product = 0;
    for (std::uint64_t shifted = a; b != 0; b >>= 1) {
      if ((b & 1) != 0) product ^= shifted;
      shifted <<= 1;
      if ((shifted >> w_ & 1) != 0) shifted ^= modulus_;
    }
    return static_cast<std::uint32_t>(product);
  }
  /// a to the power of 2^w - 2.
  [[nodiscard]] std::uint32_t inverse(std::uint32_t a) const {
    std::uint32_t result = 1;
    for (unsigned bit = 1; bit < w_; ++bit) {
      a = multiply(a, a);
      result = multiply(result, a);
    }
    return result;
  }
  [[nodiscard]] std::uint32_t divide(std::uint32_t a, std::uint32_t b) const { return multiply(a, inverse(b)); }
  [[nodiscard]] unsigned w() const { return w_; }

 private:
  static constexpr std::array<std::uint64_t, w_max - w_min + 1> moduli = {
      0x7,       0xB,       0x13,       0x25,       0x43,       0x89,       0x11D,      0x211,
      0x409,     0x805,     0x1053,     0x201B,     0x4443,     0x8003,     0x1100B,    0x20009,
      0x40081,   0x80027,   0x100009,   0x200005,   0x400003,   0x800021,   0x1000087,  0x2000009,
      0x4000047, 0x8000027, 0x10000009, 0x20000005, 0x40800007, 0x80000009, 0x100400007};
  unsigned w_;
  std::uint64_t modulus_;
};

}  // namespace parapet::codec

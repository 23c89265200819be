// For tests: GF(2^w) by definition: polynomials over GF(2), multiplied in full and then reduced.
#pragma once

#include <cstdint>

namespace parapet::codec::oracle {

class WordField {
 public:
  explicit WordField(unsigned w) : w_(w), modulus_(moduli[w]) {}

  [[nodiscard]] std::uint32_t times(std::uint32_t a, std::uint32_t b) const {
    std::uint64_t product = 0;
    for (unsigned bit = 0; bit < w_; ++bit)
      if ((b >> bit & 1) != 0) product ^= std::uint64_t{a} << bit;
    for (unsigned bit = 2 * w_ - 2; bit >= w_; --bit)
      if ((product >> bit & 1) != 0) product ^= modulus_ << (bit - w_);
    return static_cast<std::uint32_t>(product);
  }
  [[nodiscard]] std::uint32_t power(std::uint32_t a, std::uint64_t n) const {
    std::uint32_t result = 1;
    for (; n > 0; n >>= 1, a = times(a, a))
      if ((n & 1) != 0) result = times(result, a);
    return result;
  }
  /// Fermat: a^(2^w - 1) = 1 for every a but zero.
  [[nodiscard]] std::uint32_t inverse(std::uint32_t a) const { return power(a, (std::uint64_t{1} << w_) - 2); }
  [[nodiscard]] unsigned w() const { return w_; }

 private:
  // In octal, as in W. W. Peterson's tables and Jerasure's galois.c.
  static constexpr std::uint64_t moduli[33] = {
      0,           01,          07,           013,          023,         045,        0103,
      0211,        0435,        01021,        02011,        04005,       010123,     020033,
      042103,      0100003,     0210013,      0400011,      01000201,    02000047,   04000011,
      010000005,   020000003,   040000041,    0100000207,   0200000011,  0400000107, 01000000047,
      02000000011, 04000000005, 010040000007, 020000000011, 040020000007};
  unsigned w_;
  std::uint64_t modulus_;
};

}  // namespace parapet::codec::oracle

// The field GF(2^8) with polynomial x^8+x^4+x^3+x^2+1 (0x11D) and generator 2: the one that storage uses.
// (The instruction gf2p8mulb is wired to 0x11B and computes another field.)
#pragma once

#include <array>
#include <cstdint>

namespace parapet::gf {

inline constexpr unsigned polynomial = 0x11D;

namespace detail {
struct LogTables {
  std::array<std::uint8_t, 256> log{};    // log[0] is unused
  std::array<std::uint8_t, 510> power{};  // twice round, so that a sum of two logs needs no reduction
};

constexpr LogTables make_log_tables() {
  LogTables tables;
  unsigned value = 1;
  for (unsigned exponent = 0; exponent < 255; ++exponent) {
    tables.power[exponent] = tables.power[exponent + 255] = static_cast<std::uint8_t>(value);
    tables.log[value] = static_cast<std::uint8_t>(exponent);
    value <<= 1;
    if (value & 0x100) value ^= polynomial;
  }
  return tables;
}

inline constexpr LogTables tables = make_log_tables();
}  // namespace detail

constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  if (a == 0 || b == 0) return 0;
  return detail::tables.power[static_cast<unsigned>(detail::tables.log[a]) + detail::tables.log[b]];
}

/// The multiplicative inverse; `a` must not be 0.
constexpr std::uint8_t inverse(std::uint8_t a) { return detail::tables.power[255u - detail::tables.log[a]]; }

/// a to the power n, with power(0, 0) = 1.
constexpr std::uint8_t power(std::uint8_t a, unsigned n) {
  if (n == 0) return 1;
  if (a == 0) return 0;
  return detail::tables.power[(detail::tables.log[a] * static_cast<std::uint64_t>(n)) % 255];
}

}  // namespace parapet::gf

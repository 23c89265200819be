#include "codec/sha256.h"

#include <bit>
#include <cmath>
#include <vector>

namespace parapet::codec {

namespace {

using Words = std::array<std::uint32_t, 8>;

/// The first 32 bits of the fraction of a root.
std::uint32_t fraction(long double root) {
  return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

std::array<unsigned, 64> first_primes() {
  std::array<unsigned, 64> primes{};
  std::size_t count = 0;
  for (unsigned number = 2; count < primes.size(); ++number) {
    bool is_prime = true;
    for (std::size_t i = 0; i < count; ++i) is_prime = is_prime && number % primes[i] != 0;
    if (is_prime) primes[count++] = number;
  }
  return primes;
}

/// The message, a one bit, zeros, and the length in bits as eight bytes, in whole blocks of 64 bytes.
std::vector<std::uint8_t> padded(std::span<const std::uint8_t> message) {
  std::vector<std::uint8_t> bytes(message.begin(), message.end());
  bytes.push_back(0x80);
  while (bytes.size() % 64 != 56) bytes.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<std::uint8_t>(std::uint64_t{message.size()} * 8 >> shift));
  return bytes;
}

void add_block(Words& hash, const std::uint8_t* block, const std::array<std::uint32_t, 64>& constants) {
  std::array<std::uint32_t, 64> w;
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = 0;
    for (std::size_t byte = 0; byte < 4; ++byte) w[i] = w[i] << 8 | block[4 * i + byte];
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t temp1 = h + sum1 + ((e & f) ^ (~e & g)) + constants[i] + w[i];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t temp2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + temp1, d = c, c = b, b = a, a = temp1 + temp2;
  }
  const Words added = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) hash[i] += added[i];
}

}  // namespace

std::array<std::uint8_t, 32> sha256(std::span<const std::uint8_t> message) {
  const auto primes = first_primes();
  Words hash;
  std::array<std::uint32_t, 64> constants;
  for (std::size_t i = 0; i < 8; ++i) hash[i] = fraction(std::sqrt(static_cast<long double>(primes[i])));
  for (std::size_t i = 0; i < 64; ++i) constants[i] = fraction(std::cbrt(static_cast<long double>(primes[i])));
  const auto bytes = padded(message);
  for (std::size_t at = 0; at < bytes.size(); at += 64) add_block(hash, bytes.data() + at, constants);
  std::array<std::uint8_t, 32> digest;
  for (std::size_t i = 0; i < 32; ++i) digest[i] = static_cast<std::uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace parapet::codec

#include "bench/reference.h"

#include <array>
#include <cstring>

namespace parapet::bench {
namespace {

std::uint8_t multiply(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b != 0; b >>= 1, a = (a << 1) ^ ((a & 0x80) != 0 ? 0x11d : 0))
    if ((b & 1) != 0) product ^= a;
  return static_cast<std::uint8_t>(product);
}

std::uint8_t invert(unsigned a) {
  unsigned inverse = 1;
  while (multiply(a, inverse) != 1) ++inverse;
  return static_cast<std::uint8_t>(inverse);
}

void add(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] ^= from[i];
}

void add_multiple(std::uint8_t* to, const std::uint8_t* from, std::size_t size, std::uint8_t factor) {
  std::array<std::uint8_t, 256> products;
  for (unsigned byte = 0; byte < 256; ++byte) products[byte] = multiply(byte, factor);
  for (std::size_t i = 0; i < size; ++i) to[i] ^= products[from[i]];
}

}  // namespace

void encode_rs_reference(const Stripe& stripe) {
  const auto [k, m] = stripe.shape;
  for (unsigned r = 0; r < m; ++r) {
    std::uint8_t* parity = stripe.chunks[k + r];
    std::memset(parity, 0, stripe.chunk_size);
    for (unsigned j = 0; j < k; ++j) add_multiple(parity, stripe.chunks[j], stripe.chunk_size, invert((k + r) ^ j));
  }
}

void encode_xrs_reference(const Stripe& stripe) {
  encode_rs_reference(stripe);
  const auto [k, m] = stripe.shape;
  const std::size_t half = stripe.chunk_size / 2;
  for (unsigned j = 0; j < k; ++j) add(stripe.chunks[k + 1 + j % (m - 1)] + half, stripe.chunks[j], half);
}

}  // namespace parapet::bench

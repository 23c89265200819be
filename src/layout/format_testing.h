// For tests of formats: fields at byte offsets, random values, and what each format must refuse.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/crc32c.h"
#include "base/prng.h"
#include "parapet/chunk_set.h"

namespace parapet::layout {

/// The little-endian integer of `size` bytes at `offset`.
inline std::uint64_t field(std::span<const std::uint8_t> bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | bytes[offset + i];
  return value;
}

inline void set_field(std::span<std::uint8_t> bytes, std::size_t offset, std::size_t size, std::uint64_t value) {
  for (std::size_t i = 0; i < size; ++i) bytes[offset + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

/// A field that is overwritten to break a rule, or to stay just within it.
struct FieldChange {
  const char* what;
  std::size_t offset;
  std::size_t size;
  std::uint64_t value;
};

/// Stores at `crc_offset` the checksum of bytes [begin, end).
inline void set_crc(std::span<std::uint8_t> bytes, std::size_t crc_offset, std::size_t begin, std::size_t end) {
  set_field(bytes, crc_offset, 4, base::crc32c(0, bytes.data() + begin, end - begin));
}

/// Flips each bit of [begin, end) by itself: `accepts(bytes)` must be false.
template <class Accepts>
void expect_no_flipped_bit_passes(std::span<std::uint8_t> bytes, std::size_t begin, std::size_t end,
                                  const Accepts& accepts) {
  const auto flip = [&](std::size_t bit) {
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
  };
  ASSERT_TRUE(accepts()) << "it is good to begin with";
  for (std::size_t bit = 8 * begin; bit < 8 * end; ++bit) {
    flip(bit);
    EXPECT_FALSE(accepts()) << "byte " << bit / 8 << " bit " << bit % 8;
    flip(bit);
  }
}

inline std::string random_text(base::Prng& random, std::size_t size) {
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('!' + random.below(94));
  return text;
}

/// Any subset of {0, ..., n-1}.
inline ChunkSet random_subset(base::Prng& random, unsigned n) {
  ChunkSet set;
  for (unsigned i = 0; i < n; ++i)
    if (random.below(2) == 1) set.insert(i);
  return set;
}

}  // namespace parapet::layout

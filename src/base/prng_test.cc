#include "base/prng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace parapet::base {
namespace {

static_assert(std::uniform_random_bit_generator<Prng>);

// xoshiro256** as published, from the state that splitmix64 gives for seed 0 (its first outputs are published too).
TEST(Prng, GivesThePublishedSequence) {
  std::array<std::uint64_t, 4> s = {0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec};
  Prng prng(0);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t product = s[1] * 5;
    const std::uint64_t expected = ((product << 7) | (product >> 57)) * 9;
    ASSERT_EQ(prng(), expected) << "number " << i;
    const std::uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
  }
}

TEST(Prng, SeedsGiveDifferentSequences) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) firsts.insert(Prng(seed)());
  EXPECT_EQ(firsts.size(), 1000u);
}

TEST(Prng, BelowStaysBelowAndReachesEveryValue) {
  Prng prng(1);
  EXPECT_EQ(prng.below(1), 0u);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) {
    const std::uint64_t value = prng.below(7);
    ASSERT_LT(value, 7u);
    ++counts[value];
  }
  // Ten standard deviations (of about 93) around the mean.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 930);
  const std::uint64_t huge = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  for (int i = 0; i < 100; ++i) largest = std::max(largest, prng.below(huge));
  EXPECT_GT(largest, huge / 2);
}

TEST(Prng, FillWritesJustTheBytesAsked) {
  for (std::size_t count = 0; count <= 40; ++count) {
    std::vector<std::uint8_t> bytes(count + 16, 0xEE);
    Prng(count).fill(bytes.data() + 8, count);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(bytes[i], 0xEE) << count;
      EXPECT_EQ(bytes[8 + count + i], 0xEE) << count;
    }
  }
}

TEST(Prng, FillIsTheSequenceByteByByte) {
  std::array<std::uint8_t, 21> bytes{};
  Prng(5).fill(bytes.data(), bytes.size());
  Prng again(5);
  const std::array<std::uint64_t, 3> words = {again(), again(), again()};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(bytes[i], static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)))) << i;
}

TEST(Prng, FillReachesEveryByteValueEvenly) {
  std::vector<std::uint8_t> bytes(256 * 1000);
  Prng(6).fill(bytes.data(), bytes.size());
  std::array<int, 256> counts{};
  for (const std::uint8_t byte : bytes) ++counts[byte];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 320);
}

}  // namespace
}  // namespace parapet::base

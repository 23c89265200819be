#include "codec/xor_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "base/test_seeds.h"

namespace parapet::codec {
namespace {

using Values = std::vector<std::uint64_t>;

/// What sources that are unit vectors and the sums over them come to. Each sum needs only what is before it, once.
Values evaluate(std::size_t source_count, const XorSums& sums) {
  Values values;
  for (std::size_t i = 0; i < source_count; ++i) values.push_back(std::uint64_t{1} << i);
  for (const auto& terms : sums) {
    EXPECT_FALSE(terms.empty());
    std::vector<std::uint32_t> sorted = terms;
    std::ranges::sort(sorted);
    EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "a term is there twice";
    std::uint64_t sum = 0;
    for (const std::uint32_t term : terms) {
      EXPECT_LT(term, values.size()) << "a sum comes before its term";
      sum ^= term < values.size() ? values[term] : 0;
    }
    values.push_back(sum);
  }
  return values;
}

/// Loads and stores.
std::size_t access_count(const XorSums& sums) {
  std::size_t count = 0;
  for (const auto& terms : sums) count += terms.size() + 1;
  return count;
}

void check_sharing(std::size_t source_count, const XorSums& sums) {
  const SharedSums shared = share_pairs(source_count, sums);
  const Values before = evaluate(source_count, sums), after = evaluate(source_count, shared.sums);
  ASSERT_EQ(shared.place.size(), sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(after.at(shared.place[i]), before[source_count + i]) << "sum " << i;
  EXPECT_LE(access_count(shared.sums), access_count(sums));
  const SharedSums again = share_pairs(source_count, sums);
  EXPECT_EQ(again.sums, shared.sums);
  EXPECT_EQ(again.place, shared.place);
}

/// Sums of sources, each there with a chance of `density` in 8, and of sums before.
XorSums random_sums(base::Prng& prng, std::size_t source_count, std::size_t sum_count, std::uint64_t density) {
  XorSums sums(sum_count);
  for (std::size_t i = 0; i < sum_count; ++i) {
    for (std::uint32_t source = 0; source < source_count; ++source)
      if (prng.below(8) < density) sums[i].push_back(source);
    for (std::size_t other = 0; other < i; ++other)
      if (prng.below(20) == 0) sums[i].push_back(static_cast<std::uint32_t>(source_count + other));
    if (sums[i].empty()) sums[i].push_back(static_cast<std::uint32_t>(prng.below(source_count)));
  }
  return sums;
}

TEST(XorSharing, SumsStayWhatTheyWere) {
  for (std::uint64_t seed = 0; seed < base::seed_count(300); ++seed) {
    base::Prng prng(seed);
    const std::size_t source_count = 1 + prng.below(40);
    const auto sums = random_sums(prng, source_count, prng.below(40), 1 + prng.below(7));
    ASSERT_NO_FATAL_FAILURE(check_sharing(source_count, sums)) << "seed " << seed;
  }
}

TEST(XorSharing, NothingStaysNothing) {
  EXPECT_TRUE(share_pairs(5, {}).sums.empty());
  EXPECT_TRUE(share_pairs(0, {}).place.empty());
}

TEST(XorSharing, PairsOfManySumsAreSummedOnce) {
  const XorSums sums = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}};
  const SharedSums shared = share_pairs(6, sums);
  ASSERT_EQ(shared.sums.size(), 5u);
  EXPECT_EQ(shared.sums[0], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(access_count(shared.sums), access_count(sums) - 1);
}

TEST(XorSharing, PairsOfTwoSumsAreLeft) {
  const XorSums sums = {{0, 1, 2}, {0, 1, 3}};
  EXPECT_EQ(share_pairs(4, sums).sums, sums);
}

TEST(XorSharing, ASumThatOthersContainIsShared) {
  // All of 0..7 are in four sums: summed once, they are one term of each.
  XorSums sums(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    for (std::uint32_t source = 0; source < 8; ++source) sums[i].push_back(source);
    sums[i].push_back(8 + i);
  }
  EXPECT_LE(access_count(share_pairs(12, sums).sums), 8u + 1 + 4 * 3);
}

// Too many pairs for sharing to end soon: the sums come back as they are.
TEST(XorSharing, HugeSystemsAreLeft) {
  XorSums sums(2);
  for (std::uint32_t source = 0; source < 3000; ++source)
    for (auto& terms : sums) terms.push_back(source);
  const SharedSums shared = share_pairs(3000, sums);
  EXPECT_EQ(shared.sums, sums);
  EXPECT_EQ(shared.place, (std::vector<std::uint32_t>{3000, 3001}));
}

}  // namespace
}  // namespace parapet::codec

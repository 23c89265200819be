#include "parapet/chunk_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/prng.h"

namespace parapet {
namespace {

std::vector<unsigned> members(const ChunkSet& set) { return {set.begin(), set.end()}; }

TEST(ChunkSet, StartsEmpty) {
  const ChunkSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.count(), 0u);
  EXPECT_EQ(set.begin(), set.end());
  for (unsigned i = 0; i < 300; ++i) EXPECT_FALSE(set.contains(i));
}

TEST(ChunkSet, EveryIndexIsItsOwnMember) {
  for (unsigned i = 0; i < chunk_count_max; ++i) {
    ChunkSet set{i};
    EXPECT_EQ(members(set), std::vector<unsigned>{i});
    EXPECT_EQ(set.count(), 1u);
    EXPECT_EQ(set.words()[i / 64], std::uint64_t{1} << (i % 64));
    set.erase(i);
    EXPECT_TRUE(set.empty()) << i;
  }
}

TEST(ChunkSet, IndicesBeyondAreNeverMembers) {
  ChunkSet set{3};
  for (const unsigned index : {256u, 257u, 320u, 1u << 31, ~0u}) {
    set.insert(index);
    EXPECT_FALSE(set.contains(index));
    set.erase(index);
  }
  EXPECT_EQ(members(set), std::vector<unsigned>{3});
  EXPECT_EQ(ChunkSet::range(250, 1000).count(), 6u);
}

TEST(ChunkSet, RangeExcludesItsEnd) {
  EXPECT_EQ(members(ChunkSet::range(62, 66)), (std::vector<unsigned>{62, 63, 64, 65}));
  EXPECT_TRUE(ChunkSet::range(5, 5).empty());
  EXPECT_TRUE(ChunkSet::range(6, 5).empty());
  EXPECT_EQ(ChunkSet::range(0, 256).count(), 256u);
}

TEST(ChunkSet, BehavesLikeAnOrderedSet) {
  base::Prng prng(1);
  for (int round = 0; round < 200; ++round) {
    std::set<unsigned> a, b;
    ChunkSet set_a, set_b;
    for (std::uint64_t i = prng.below(40); i > 0; --i) {
      const auto index = static_cast<unsigned>(prng.below(256));
      (i % 2 == 0 ? a : b).insert(index);
      (i % 2 == 0 ? set_a : set_b).insert(index);
    }
    std::vector<unsigned> both, either, only_a;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
    ASSERT_EQ(members(set_a), std::vector<unsigned>(a.begin(), a.end())) << "round " << round;
    ASSERT_EQ(set_a.count(), a.size());
    ASSERT_EQ(members(set_a & set_b), both);
    ASSERT_EQ(members(set_a | set_b), either);
    ASSERT_EQ(members(set_a - set_b), only_a);
    ASSERT_EQ(set_a == set_b, a == b);
  }
}

}  // namespace
}  // namespace parapet

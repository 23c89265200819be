#include "codec/recipe_cache.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "codec/test_stripe.h"
#include "gf/isa.h"

namespace parapet::codec {
namespace {

std::shared_ptr<const Recipe> recipe() {
  return std::make_shared<const Recipe>(Recipe{{}, {}, Program(*gf::all_kernels().back(), {})});
}

RepairTask key(unsigned lost) { return {ChunkSet::range(0, 200) - ChunkSet{lost}, ChunkSet{lost}, {0, 1}}; }

TEST(RecipeCache, FindsWhatWasInserted) {
  RecipeCache cache(10 * recipe()->memory_bytes());
  EXPECT_EQ(cache.find(key(1)), nullptr);
  const auto one = recipe(), two = recipe();
  cache.insert(key(1), one);
  cache.insert(key(2), two);
  EXPECT_EQ(cache.find(key(1)), one);
  EXPECT_EQ(cache.find(key(2)), two);
  EXPECT_EQ(cache.size(), 2u);
}

TEST(RecipeCache, EveryPartOfTheKeyCounts) {
  RecipeCache cache(10 * recipe()->memory_bytes());
  const RepairTask base{{0, 1, 2}, {3}, {0, 2}};
  cache.insert(base, recipe());
  EXPECT_NE(cache.find(base), nullptr);
  EXPECT_EQ(cache.find({{0, 1}, {3}, {0, 2}}), nullptr);
  EXPECT_EQ(cache.find({{0, 1, 2, 255}, {3}, {0, 2}}), nullptr);
  EXPECT_EQ(cache.find({{0, 1, 2}, {3, 200}, {0, 2}}), nullptr);
  EXPECT_EQ(cache.find({{3}, {0, 1, 2}, {0, 2}}), nullptr);
  EXPECT_EQ(cache.find({{0, 1, 2}, {3}, {0, 1}}), nullptr);
  EXPECT_EQ(cache.find({{0, 1, 2}, {3}, {1, 2}}), nullptr);
}

TEST(RecipeCache, TheFirstOfTwoInsertionsStays) {
  RecipeCache cache(10 * recipe()->memory_bytes());
  const auto first = recipe();
  cache.insert(key(1), first);
  cache.insert(key(1), recipe());
  EXPECT_EQ(cache.find(key(1)), first);
  EXPECT_EQ(cache.size(), 1u);
}

TEST(RecipeCache, TheLeastRecentlyUsedGoesFirst) {
  RecipeCache cache(3 * recipe()->memory_bytes());
  for (const unsigned i : {1u, 2u, 3u}) cache.insert(key(i), recipe());
  EXPECT_NE(cache.find(key(1)), nullptr);  // now 2 is the oldest
  cache.insert(key(4), recipe());
  EXPECT_EQ(cache.find(key(2)), nullptr);
  for (const unsigned i : {1u, 3u, 4u}) EXPECT_NE(cache.find(key(i)), nullptr) << i;
  cache.insert(key(5), recipe());
  EXPECT_EQ(cache.find(key(1)), nullptr) << "used before 3 and 4";
}

TEST(RecipeCache, StaysWithinItsCapacity) {
  RecipeCache cache(7 * recipe()->memory_bytes());
  for (unsigned i = 0; i < 200; ++i) {
    cache.insert(key(i), recipe());
    ASSERT_EQ(cache.size(), std::min(i + 1, 7u));
  }
}

TEST(RecipeCache, RecipesOutliveTheirEviction) {
  RecipeCache cache(1 * recipe()->memory_bytes());
  cache.insert(key(1), recipe());
  const auto held = cache.find(key(1));
  cache.insert(key(2), recipe());
  EXPECT_EQ(cache.find(key(1)), nullptr);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(RecipeCache, ManyThreadsShareIt) {
  RecipeCache cache(20 * recipe()->memory_bytes());
  std::vector<std::shared_ptr<const Recipe>> recipes;
  for (unsigned i = 0; i < 50; ++i) recipes.push_back(recipe());
  std::vector<std::thread> threads;
  std::vector<unsigned> wrong(4);
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      base::Prng prng(t);
      for (int round = 0; round < 5000; ++round) {
        const auto i = static_cast<unsigned>(prng.below(50));
        const auto found = cache.find(key(i));
        if (found == nullptr) cache.insert(key(i), recipes[i]);
        if (found != nullptr && found != recipes[i]) ++wrong[t];
        if (cache.size() > 20) ++wrong[t];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<unsigned>(4));
}

// More patterns than a code remembers: each is right when it is new, remembered, and made again.
TEST(CodeCache, ResultsStayRightUnderEviction) {
  const Oracle oracle("xrs(8,6)");
  const Code code = parse("xrs(8,6)");
  base::Prng prng(1);
  const auto stripe = random_stripe(oracle, prng, 4);
  for (int pass = 0; pass < 2; ++pass)
    for_each_loss(oracle, [&](const ChunkSet& lost) {
      if (lost.count() < 5) return;  // 5005 patterns are left, thrice with halves
      const unsigned chunk = *lost.begin();
      Bytes output(4);
      const IndexedRegion wanted{chunk, {output.data(), 4}};
      for (int again = 0; again < 2; ++again) {
        ASSERT_TRUE(code.reconstruct(const_regions(stripe, all_chunks(oracle) - lost), {&wanted, 1}).has_value());
        ASSERT_EQ(output, stripe[chunk]) << to_text(lost);
        output.assign(4, 0);
      }
    });
}

}  // namespace
}  // namespace parapet::codec

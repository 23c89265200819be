#include "codec/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/prng.h"
#include "base/test_seeds.h"

namespace parapet::codec {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

/// A block holds as many equations as unknowns, and these have no unknowns but its own and those of blocks before it.
void check_order(const Lists& unknowns_of, const std::vector<Block>& blocks) {
  std::vector<std::uint32_t> equations, known;
  for (const Block& block : blocks) {
    ASSERT_EQ(block.equations.size(), block.unknowns.size());
    equations.insert(equations.end(), block.equations.begin(), block.equations.end());
    known.insert(known.end(), block.unknowns.begin(), block.unknowns.end());
    for (const std::uint32_t equation : block.equations)
      for (const std::uint32_t unknown : unknowns_of[equation])
        ASSERT_NE(std::ranges::find(known, unknown), known.end()) << "equation " << equation << " unknown " << unknown;
  }
  std::vector<std::uint32_t> all(unknowns_of.size());
  std::iota(all.begin(), all.end(), 0u);
  std::ranges::sort(equations);
  std::ranges::sort(known);
  EXPECT_EQ(equations, all);
  EXPECT_EQ(known, all);
}

TEST(BlockOrder, NothingIsNoBlock) { EXPECT_TRUE(block_order({}).empty()); }

TEST(BlockOrder, AChainComesOutOneByOne) {
  const Lists chain = {{1, 2}, {3}, {2, 3}, {0, 1}};  // 3, then 2, then 1, then 0
  const auto blocks = block_order(chain);
  ASSERT_EQ(blocks.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(blocks[i].unknowns, std::vector<std::uint32_t>{3 - i});
  check_order(chain, blocks);
}

TEST(BlockOrder, ACycleIsOneBlock) {
  const Lists cycle = {{0, 1}, {1, 2}, {2, 0}};
  const auto blocks = block_order(cycle);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].equations, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(blocks[0].unknowns, (std::vector<std::uint32_t>{0, 1, 2}));
}

// Matching needs an augmenting path: the first equation must not keep the unknown that it finds first.
TEST(BlockOrder, EquationsGiveWay) {
  const Lists lists = {{0, 1}, {0}};
  const auto blocks = block_order(lists);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].equations, std::vector<std::uint32_t>{1});
  EXPECT_EQ(blocks[1].unknowns, std::vector<std::uint32_t>{1});
}

// Dense blocks on the diagonal, anything before them, all shuffled: the blocks come back.
TEST(BlockOrder, HiddenBlocksAreFound) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    std::vector<unsigned> sizes(1 + prng.below(8));
    for (unsigned& size : sizes) size = 1 + static_cast<unsigned>(prng.below(4));
    const unsigned count = std::accumulate(sizes.begin(), sizes.end(), 0u);
    std::vector<std::uint32_t> name(count);  // of unknowns
    std::iota(name.begin(), name.end(), 0u);
    std::shuffle(name.begin(), name.end(), prng);
    Lists lists;
    unsigned first = 0;
    for (const unsigned size : sizes) {
      for (unsigned row = 0; row < size; ++row) {
        lists.emplace_back();
        for (unsigned unknown = 0; unknown < first + size; ++unknown)
          if (unknown >= first || prng.below(3) == 0) lists.back().push_back(name[unknown]);
        std::shuffle(lists.back().begin(), lists.back().end(), prng);
      }
      first += size;
    }
    std::shuffle(lists.begin(), lists.end(), prng);
    const auto blocks = block_order(lists);
    ASSERT_NO_FATAL_FAILURE(check_order(lists, blocks)) << "seed " << seed;
    std::vector<unsigned> found;
    for (const Block& block : blocks) found.push_back(static_cast<unsigned>(block.unknowns.size()));
    std::ranges::sort(found);
    std::ranges::sort(sizes);
    ASSERT_EQ(found, sizes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace parapet::codec

#include "bench/stripe.h"

#include <gtest/gtest.h>

namespace parapet::bench {
namespace {

TEST(ArenaTest, ContiguousChunksLieOnPagesBackToBack) {
  Arena arena;
  const auto stripes = arena.lay_out({3, 2}, 8192, Layout::contiguous, 2);
  ASSERT_EQ(stripes.size(), 2u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stripes[0].chunks[0]) % 4096, 0u);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(stripes[0].chunks[i] - stripes[0].chunks[i - 1], 8192);
  EXPECT_EQ(stripes[0].outputs.size(), 3u);
  EXPECT_GE(stripes[1].chunks[0] - stripes[0].outputs[2], 8192);
}

TEST(ArenaTest, StaggeredChunksBeginThreeLinesFurtherOn) {
  Arena arena;
  const Stripe stripe = arena.lay_out({3, 2}, 8192, Layout::staggered, 1).front();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(stripe.chunks[0]) % 4096, 0u);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_EQ(stripe.chunks[i] - stripe.chunks[i - 1], 8192 + 192);
}

TEST(StripesBeyondTest, ExceedTheFootprint) { EXPECT_EQ(stripes_beyond(10 * 4096, {3, 2}, 4096), 3u); }

}  // namespace
}  // namespace parapet::bench

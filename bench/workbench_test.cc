#include "bench/workbench.h"

#include <gtest/gtest.h>

namespace parapet::bench {
namespace {

TEST(ExpectOutputTest, NamesTheWrongOutput) {
  Arena arena;
  const Stripe stripe = arena.lay_out({2, 1}, 4096, Layout::contiguous, 1).front();
  const Bytes expected = copy_of(stripe.chunks.data(), 2, 4096);
  const auto nothing = [](std::size_t) {};
  EXPECT_TRUE(expect_output("copy", nothing, stripe.chunks.data(), expected, 4096));
  stripe.chunks[1][17] ^= 1;
  const auto result = expect_output("copy", nothing, stripe.chunks.data(), expected, 4096);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "copy: output 1 has wrong bytes");
}

TEST(SizeTextTest, UsesTheLargestWholeUnit) {
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(size_text(std::size_t{8} << 20), "8 MiB");
  EXPECT_EQ(size_text(std::size_t{1536} << 10), "1536 KiB");
}

}  // namespace
}  // namespace parapet::bench

#include "layout/rows.h"

#include <gtest/gtest.h>

namespace parapet::layout {
namespace {

TEST(Rows, AreABlockOfEverySubChunk) {
  const Rows rows(256, 0);
  EXPECT_EQ(rows.part_count(), 256u);
  EXPECT_EQ(rows.piece_size(), 4096u);
  EXPECT_EQ(rows.granule(), 1u << 20);
  EXPECT_EQ(rows.part_size(4 << 20), 4u * 4096);
}

TEST(Rows, OfPacketsAreTheLeastOfWholeBlocksAndRounds) {
  const Rows in_block(8, 8);  // 64 rounds in a block
  EXPECT_EQ(in_block.part_count(), 1u);
  EXPECT_EQ(in_block.granule(), 4096u);
  EXPECT_EQ(in_block.part_size(1 << 20), 1u << 20);
  EXPECT_EQ(Rows(7, 24).piece_size(), 7u * 3 * 4096);  // rounds of 168 = 8 * 21 bytes
  EXPECT_EQ(Rows(7, 4096).piece_size(), 7u * 4096);
  EXPECT_EQ(Rows(8, 2048).piece_size(), 8u * 2048);
  EXPECT_EQ(Rows(256, std::size_t{1} << 30).granule(), std::uint64_t{1} << 38);
}

}  // namespace
}  // namespace parapet::layout

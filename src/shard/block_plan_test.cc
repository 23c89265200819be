#include "shard/block_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parapet::shard {
namespace {

BlockPlan plan(const char* text, unsigned lost, std::size_t chunk_size) {
  const Code code = Code::parse(text).value();
  return plan_blocks(code, ChunkSet::range(0, code.n()) - ChunkSet{lost}, {lost}, chunk_size).value();
}

TEST(BlockPlan, IsThePlanWhereSubChunksAreBlocks) {
  const BlockPlan xrs = plan("xrs(12,4)", 3, 8192);
  EXPECT_EQ(xrs.reads, std::vector<ChunkRange>(xrs.plan.reads().begin(), xrs.plan.reads().end()));
  EXPECT_EQ(xrs.bytes_read(), 8u * 8192);
}

TEST(BlockPlan, RoundsOutToBlocksOnce) {
  // Packets of 2 KiB, two in a block: the plan wants halves of blocks, and still reads less than 7 chunks.
  const BlockPlan halves = plan("liberation(7,2,packetsize=2048)", 0, 7 * 4096);
  EXPECT_GT(halves.bytes_read(), halves.plan.bytes_read());
  EXPECT_LT(halves.bytes_read(), 7u * 7 * 4096);
  std::size_t end = 0;
  unsigned chunk = chunk_count_max;
  for (const ChunkRange& read : halves.reads) {
    EXPECT_EQ(read.offset % 4096, 0u);
    EXPECT_EQ(read.length % 4096, 0u);
    EXPECT_TRUE(read.chunk != chunk || read.offset > end);
    chunk = read.chunk;
    end = read.offset + read.length;
  }
  for (const ChunkRange& needed : halves.plan.reads()) {
    const auto holds = [&](const ChunkRange& read) {
      return read.chunk == needed.chunk && read.offset <= needed.offset &&
             needed.offset + needed.length <= read.offset + read.length;
    };
    EXPECT_EQ(std::ranges::count_if(halves.reads, holds), 1);
  }
}

// With packets of 8 bytes every block has some that are needed: what reads fewest chunks reads fewest blocks.
TEST(BlockPlan, PrefersFewChunksWherePacketsAreSmall) {
  const BlockPlan small = plan("liberation(5,2,packetsize=8)", 0, 5 * 4096);
  EXPECT_EQ(small.bytes_read(), 5u * 5 * 4096);
  EXPECT_EQ(small.reads.size(), 5u);
  const BlockPlan large = plan("liberation(5,2,packetsize=4096)", 0, 5 * 4096);
  EXPECT_LT(large.bytes_read(), 5u * 5 * 4096);
}

TEST(BlockPlan, ReportsLossesThatAreTooMany) {
  const Code code = Code::parse("rs(4,2)").value();
  const auto made = plan_blocks(code, {0, 1, 2}, {3}, 4096);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::too_many_losses);
}

}  // namespace
}  // namespace parapet::shard

#include "front/cli/code_facts.h"

#include <gtest/gtest.h>

namespace parapet::front {
namespace {

CodeFacts facts(const char* code) { return facts_of(Code::parse(code).value()).value(); }

TEST(CodeFacts, CountWhatRepairsRead) {
  const CodeFacts xrs = facts("xrs(12,4)");
  EXPECT_EQ(xrs.data_repair().chunks, 8);
  EXPECT_EQ(xrs.data_repair().devices, 13);
  EXPECT_EQ(xrs.parity_repair().chunks, 12);
  EXPECT_EQ(xrs.parity_repair().devices, 12);
  const CodeFacts lrc = facts("lrc(12,2,2)");
  EXPECT_EQ(lrc.data_repair().chunks, 6);
  EXPECT_EQ(lrc.parity_repair().chunks, 9);  // 6 for a local parity, 12 for a global one.
  const CodeFacts clay = facts("clay(6,3)");
  ASSERT_EQ(clay.repairs.size(), 9u);
  for (const PlanCost& cost : clay.repairs) EXPECT_DOUBLE_EQ(clay.chunks_read(cost), 8.0 / 3);
}

TEST(CodeFacts, KnowTheSmallestChunk) {
  EXPECT_EQ(facts("rs(4,2)").chunk_size_min, 4096u);
  EXPECT_EQ(facts("clay(6,3)").chunk_size_min, 27u * 4096);
  EXPECT_EQ(facts("liberation(5,2)").chunk_size_min, 5u * 4096);
  EXPECT_EQ(facts("liberation(5,2,packetsize=24)").chunk_size_min, 15u * 4096);
  EXPECT_EQ(facts("cauchy_good(5,2,packetsize=8)").chunk_size_min, 4096u);
}

TEST(CodeFacts, SurveyOnlyLossesThatSomePatternsAreBorneOf) {
  EXPECT_TRUE(facts("rs(4,3)").beyond.empty());
  const CodeFacts one = facts("lrc(6,2,2)");
  ASSERT_EQ(one.beyond.size(), 1u);
  EXPECT_EQ(one.beyond[0].losses, 4u);
  const CodeFacts two = facts("lrc(12,4,1)");
  ASSERT_EQ(two.beyond.size(), 2u);
  EXPECT_EQ(two.beyond[0].losses, 3u);
  EXPECT_EQ(two.beyond[1].losses, 4u);
}

TEST(CodeFacts, CountTheChunksOfAnUpdate) {
  EXPECT_EQ(facts("rs(12,4)").update_chunks, 5);
  EXPECT_EQ(facts("lrc(12,2,2)").update_chunks, 4);
  EXPECT_EQ(facts("xor(12,1)").update_chunks, 2);
  EXPECT_DOUBLE_EQ(facts("rs(12,3)").overhead(), 0.25);
}

}  // namespace
}  // namespace parapet::front

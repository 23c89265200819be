#include "shard/chunk_size.h"

#include <gtest/gtest.h>

namespace parapet::shard {
namespace {

Code parse(const char* text) { return Code::parse(text).value(); }

void expect_refusal(const char* code, std::uint64_t wanted, const std::string& words) {
  const auto chosen = choose_chunk_size("set", parse(code), wanted);
  ASSERT_FALSE(chosen) << code;
  EXPECT_EQ(chosen.error().error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(chosen.error().message(), "set: encode: " + words);
}

TEST(ChunkSize, ThatDoesNotFitIsRefusedWithTheRuleAndTheNearest) {
  expect_refusal("rs(2,1)", 5000,
                 "a chunk size of 5000 does not fit the code (it must be a multiple of 4096, the size of a block; the "
                 "nearest that fit are 4096 and 8192)");
  expect_refusal("rs(2,1)", 1,
                 "a chunk size of 1 does not fit the code (it must be a multiple of 4096, the size of a block; the "
                 "smallest that fits is 4096)");
  expect_refusal(
      "clay(12,4)", 65536,
      "a chunk size of 65536 does not fit the code (each of its 256 sub-chunks would be smaller than a block "
      "of 4096 bytes; the smallest that fits is 1048576)");
  expect_refusal("xrs(4,2)", 12288,
                 "a chunk size of 12288 does not fit the code (it must be a multiple of 8192: 2 sub-chunks of whole "
                 "blocks of 4096 bytes; the nearest that fit are 8192 and 16384)");
  expect_refusal(
      "liberation(5,2,packetsize=24)", 65536,
      "a chunk size of 65536 does not fit the code (it must be a multiple of 61440: whole blocks of 4096 bytes "
      "and whole rounds of 5 packets of 24 bytes; the nearest that fit are 61440 and 122880)");
  expect_refusal(
      "liberation(5,2,packetsize=24)", (1 << 30) - 4096,
      "a chunk size of 1073737728 does not fit the code (it must be a multiple of 61440: whole blocks of 4096 "
      "bytes and whole rounds of 5 packets of 24 bytes; the largest that fits is 1073725440)");
}

TEST(ChunkSize, AboveTheLimitIsRefused) {
  expect_refusal("xrs(4,2)", 1ull << 62,
                 "a chunk size of 4611686018427387904 is above the limit of 1073741824 (the largest that fits is "
                 "1073741824)");
  expect_refusal("cauchy_orig(4,2,packetsize=1073741824)", 0,
                 "the smallest chunk of this code has 8589934592 bytes, above the limit of 1073741824");
}

TEST(ChunkSize, ThatFitsIsTaken) {
  EXPECT_EQ(choose_chunk_size("", parse("xrs(4,2)"), 24576).value(), 24576u);
  EXPECT_EQ(choose_chunk_size("", parse("clay(12,4)"), 1 << 20).value(), 1u << 20);
  EXPECT_EQ(choose_chunk_size("", parse("cauchy_good(4,2,packetsize=8)"), 4096).value(), 4096u);
  EXPECT_EQ(choose_chunk_size("", parse("rs(4,2)"), 1 << 30).value(), 1u << 30);
}

TEST(ChunkSize, ByDefaultIsAMebibyteOrWhatFits) {
  const auto by_default = [](const char* code) { return choose_chunk_size("", parse(code), 0).value(); };
  EXPECT_EQ(by_default("rs(4,2)"), 1u << 20);
  EXPECT_EQ(by_default("evenodd(5,2)"), 64u * 4 * 4096);
  EXPECT_EQ(by_default("liberation(5,2,packetsize=24)"), 17u * 61440);
  EXPECT_EQ(by_default("clay(16,4)"), 4u << 20);
  EXPECT_EQ(by_default("cauchy_good(4,2,packetsize=1048576)"), 8u << 20);
}

}  // namespace
}  // namespace parapet::shard

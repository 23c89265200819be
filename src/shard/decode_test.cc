#include "shard/decode.h"

#include <gtest/gtest.h>

#include "shard/coded_set.h"

namespace parapet::shard {
namespace {

using Names = std::set<std::string>;

FileResult<DecodeReport> decode(const CodedSet& coded, const std::string& name = "out") {
  Progress progress;
  return decode_set(coded.directory(), coded.scratch() / name, {}, progress);
}

void expect_decodes(const CodedSet& coded) {
  const auto report = decode(coded);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
  std::filesystem::remove(coded.scratch() / "out");
}

class EverySize : public testing::TestWithParam<const char*> {};

TEST_P(EverySize, RoundTrips) {
  const std::size_t k = Code::parse(GetParam()).value().k();
  const std::size_t stripe = k * 16384;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{4097}, stripe - 1, stripe,
        stripe + 1, 3 * stripe, 5 * stripe + 4 * 4096 + 9}) {
    const CodedSet coded(GetParam(), size, 16384);
    SCOPED_TRACE(size);
    expect_decodes(coded);
    coded.remove(0);
    expect_decodes(coded);
  }
}

TEST_P(EverySize, RoundTripsWithTheDefaultChunk) {
  for (const std::size_t size : {std::size_t{70'000}, std::size_t{13} << 20}) {
    const CodedSet coded(GetParam(), size);
    SCOPED_TRACE(size);
    expect_decodes(coded);
    coded.remove(0);
    coded.remove(coded.report().header.k);
    expect_decodes(coded);
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, EverySize,
                         testing::Values("rs(1,2)", "rs(4,2)", "rs(12,4)", "rs(6,3,matrix=vandermonde)", "xrs(4,2)",
                                         "xrs(12,4)", "rs(40,10)"),
                         [](const auto& which) {
                           std::string name = which.param;
                           for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

TEST(Decode, BearsEveryPatternOfLosses) {
  for (const char* code : {"rs(4,3)", "xrs(4,3)"}) {
    const CodedSet coded(code, 4 * 16384 * 2 + 12345, 16384);
    const std::vector<std::string> shards = coded.snapshot();
    for (unsigned lost = 0; lost < 1u << 7; ++lost) {
      for (unsigned index = 0; index < 7; ++index)
        if ((lost >> index & 1) != 0) coded.remove(index);
      const auto report = decode(coded);
      ASSERT_EQ(report.has_value(), std::popcount(lost) <= 3) << code << " " << lost;
      if (report) {
        ASSERT_TRUE(read_file(coded.scratch() / "out") == coded.content()) << code << " " << lost;
        EXPECT_EQ(report->findings.size(), static_cast<std::size_t>(std::popcount(lost)));
        std::filesystem::remove(coded.scratch() / "out");
      } else {
        ASSERT_FALSE(std::filesystem::exists(coded.scratch() / "out"));
      }
      for (unsigned index = 0; index < 7; ++index)
        if ((lost >> index & 1) != 0) write_file(coded.shard(index), shards[index]);
    }
  }
}

TEST(Decode, ReadsNoMoreThanTheDataWhenAllIsWell) {
  const CodedSet coded("rs(4,2)", 8 << 20, 1 << 20);
  const auto report = decode(coded);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->bytes_read, (8u << 20) + 8 * 4096);
}

TEST(Decode, SurvivesRotInEveryShardWhereNoRowHasTooMuch) {
  for (const char* code : {"rs(4,2)", "xrs(4,2)"}) {
    // 16 blocks per chunk, in 2 sub-chunks for xrs: rows 0..7.
    const CodedSet coded(code, 4 * 65536 * 2, 65536);
    for (unsigned index = 0; index < 6; ++index) {
      coded.rot_block(index, 1, index);
      coded.rot_block(index, 1, (index + 1) % 6);
    }
    const auto report = decode(coded);
    ASSERT_TRUE(report) << code << report.error().message();
    EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
    std::size_t rotten = 0;
    for (const Finding& finding : report->findings) rotten += finding.kind == FindingKind::rotten ? 1 : 0;
    EXPECT_EQ(rotten, 6u) << code;
  }
}

TEST(Decode, NeverWritesWrongBytes) {
  for (const char* code : {"rs(4,2)", "xrs(4,2)"}) {
    const CodedSet coded(code, 4 * 65536 * 2, 65536);
    for (const unsigned index : {0u, 2u, 5u}) coded.rot_block(index, 1, 3);
    const auto report = decode(coded);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().error.code, ErrorCode::too_many_losses);
    const std::string message = report.error().message();
    EXPECT_NE(message.find("3 of 6 shards are lost, 4 are needed"), std::string::npos) << message;
    EXPECT_NE(message.find("lost: 0, 2, 5; at stripe 1, block 3"), std::string::npos) << message;
    EXPECT_EQ(names_in(coded.scratch().path()), (Names{"file", "set"}));
  }
}

TEST(Decode, TreatsARottenChecksumAreaBlockByBlock) {
  const CodedSet coded("rs(2,1)", 2 * 65536, 65536);
  const std::uint64_t area = coded.striping().area_offset(0);
  // One entry in each of all three shards, in different rows.
  for (unsigned index = 0; index < 3; ++index) rot(coded.shard(index), area + 4 * index);
  const auto report = decode(coded);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
}

TEST(Decode, NoticesSwappedBlocksAndStripes) {
  const CodedSet coded("rs(2,1)", 4 * 8192, 8192);
  std::string shard = read_file(coded.shard(0));
  const std::size_t stripe = 8192 + 4096;
  // Two stripes, each with its own intact checksums, in each other's place.
  const std::string swapped = shard.substr(0, 4096) + shard.substr(4096 + stripe, stripe) + shard.substr(4096, stripe);
  write_file(coded.shard(0), swapped);
  const auto report = decode(coded);
  ASSERT_TRUE(report);
  EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
  EXPECT_FALSE(report->findings.empty());
}

TEST(Decode, UsesTheWholeStripesOfATruncatedShard) {
  const CodedSet coded("rs(2,1)", 10 * 2 * 8192, 8192);
  // Each shard loses another third or less: no stripe has more than one loss.
  std::filesystem::resize_file(coded.shard(0), coded.striping().chunk_offset(6));
  coded.rot_block(1, 0, 0);
  const auto report = decode(coded);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
}

TEST(Decode, NoticesWhenMoreIsLostFromAStripeOn) {
  // Two groups: what repairs the first loss does not even read the second.
  const CodedSet coded("lrc(6,2,2)", 9 * 6 * 8192, 8192);
  std::filesystem::resize_file(coded.shard(0), coded.striping().chunk_offset(3));
  std::filesystem::resize_file(coded.shard(3), coded.striping().chunk_offset(6));
  DecodeOptions options;
  options.worker_count = 1;
  Progress progress;
  const auto report = decode_set(coded.directory(), coded.scratch() / "out", options, progress);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_TRUE(read_file(coded.scratch() / "out") == coded.content());
}

TEST(Decode, RefusesWhatIsThereAndThePlaceAmongTheShards) {
  const CodedSet coded("rs(2,1)", 1000);
  EXPECT_EQ(decode(coded, "file").error().error.code, ErrorCode::already_exists);
  EXPECT_EQ(decode(coded, "set").error().error.code, ErrorCode::already_exists);
  EXPECT_EQ(decode(coded, "set/new").error().error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(decode(coded, "nowhere/new").error().error.code, ErrorCode::not_found);
  DecodeOptions force;
  force.replace = Replace::yes;
  Progress progress;
  EXPECT_FALSE(decode_set(coded.directory(), coded.shard(0), force, progress));
  EXPECT_FALSE(decode_set(coded.directory(), coded.directory(), force, progress));
  EXPECT_TRUE(decode_set(coded.directory(), coded.file(), force, progress));
  EXPECT_EQ(read_file(coded.file()), coded.content());
}

TEST(Decode, LeavesNothingWhenStopped) {
  const CodedSet coded("rs(2,1)", 100'000);
  Progress progress;
  progress.stop = true;
  const auto report = decode_set(coded.directory(), coded.scratch() / "out", {}, progress);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().error.code, ErrorCode::interrupted);
  EXPECT_EQ(names_in(coded.scratch().path()), (Names{"file", "set"}));
}

}  // namespace
}  // namespace parapet::shard

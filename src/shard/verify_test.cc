#include "shard/verify.h"

#include <gtest/gtest.h>

#include "shard/coded_set.h"

namespace parapet::shard {
namespace {

VerifyReport verify(const CodedSet& coded) {
  Progress progress;
  return verify_set(coded.directory(), 2, progress).value();
}

TEST(Verify, FindsNothingInAGoodSet) {
  for (const char* code : {"rs(4,2)", "xrs(4,2)"}) {
    for (const std::size_t size : {0u, 1u, 1'000'000u}) {
      const CodedSet coded(code, size, 65536);
      const VerifyReport report = verify(coded);
      EXPECT_TRUE(report.findings.empty());
      EXPECT_EQ(report.block_rows_lost, 0u);
      EXPECT_EQ(report.bytes_read, 6 * (coded.report().shard_size - 4096));
    }
  }
}

TEST(Verify, NoticesAFlipOfAnyByte) {
  const CodedSet coded("rs(2,1)", 3 * 8192, 8192);
  const std::string good = read_file(coded.shard(1));
  for (std::size_t offset = 0; offset < good.size(); offset += 61) {
    rot(coded.shard(1), offset);
    const VerifyReport report = verify(coded);
    ASSERT_EQ(report.findings.size(), 1u) << offset;
    EXPECT_EQ(report.findings[0].index, 1u);
    EXPECT_EQ(report.findings[0].kind, offset < 4096 ? FindingKind::bad_header : FindingKind::rotten) << offset;
    EXPECT_EQ(report.block_rows_lost, 0u);
    write_file(coded.shard(1), good);
  }
}

TEST(Verify, SaysWhereAndHowMuch) {
  const CodedSet coded("xrs(4,2)", 3 * 4 * 65536, 65536);
  coded.rot_block(5, 2, 9);
  coded.rot_block(5, 1, 15);
  coded.rot_block(5, 1, 3);
  const VerifyReport report = verify(coded);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message(), "shard-005.parapet: rotten: 3 bad blocks, the first is block 3 of stripe 1");
}

TEST(Verify, CountsRowsBeyondRepair) {
  const CodedSet coded("rs(2,1)", 2 * 65536, 65536);
  coded.rot_block(0, 0, 4);
  coded.rot_block(2, 0, 4);
  coded.rot_block(2, 0, 5);
  EXPECT_EQ(verify(coded).block_rows_lost, 1u);
  coded.remove(1);
  EXPECT_EQ(verify(coded).block_rows_lost, 2u);
  coded.remove(0);
  EXPECT_EQ(verify(coded).block_rows_lost, 16u);
}

TEST(Verify, NoticesParityThatDoesNotFit) {
  const CodedSet coded("rs(2,2)", 2 * 8192 * 2, 8192);
  // Other parity with right checksums, as a faulty program could have written it.
  std::string shard = read_file(coded.shard(3));
  const layout::BlockChecksums checksums(coded.report().header.set_id, 3);
  auto* bytes = reinterpret_cast<std::uint8_t*>(shard.data());
  const std::uint64_t chunk = coded.striping().chunk_offset(1);
  const std::span<std::uint8_t> area(bytes + coded.striping().area_offset(1), 4096);
  bytes[chunk + 5000] ^= 1;
  layout::set_area_entry(area, 1, checksums.of(1, 1, bytes + chunk + 4096));
  checksums.seal_area(1, 2, area);
  write_file(coded.shard(3), shard);
  const VerifyReport report = verify(coded);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message(),
            "shard-003.parapet: parity-mismatch: it does not fit the data in 1 stripe, the first is stripe 1");
}

TEST(Verify, ChangesNothing) {
  const CodedSet coded("rs(2,1)", 100'000);
  coded.rot_block(0, 0, 0);
  const auto before = coded.snapshot();
  verify(coded);
  EXPECT_EQ(coded.snapshot(), before);
  EXPECT_EQ(names_in(coded.directory()).size(), 3u);
}

}  // namespace
}  // namespace parapet::shard

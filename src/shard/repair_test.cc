#include "shard/repair.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "shard/coded_set.h"
#include "shard/verify.h"

namespace parapet::shard {
namespace {

namespace fs = std::filesystem;

FileResult<RepairReport> repair(const CodedSet& coded, Reading reading = Reading::all) {
  RepairOptions options;
  options.reading = reading;
  Progress progress;
  return repair_set(coded.directory(), options, progress);
}

bool is_good(const CodedSet& coded) {
  Progress progress;
  return verify_set(coded.directory(), 2, progress).value().findings.empty();
}

/// Identity of a file: a file that was written anew has another one.
ino_t inode(const std::string& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status.st_ino;
}

TEST(Repair, RebuildsEveryPatternOfLossesByteForByte) {
  for (const char* code : {"rs(4,3)", "xrs(4,3)"}) {
    const CodedSet coded(code, 4 * 16384 * 2 + 12345, 16384);
    const auto shards = coded.snapshot();
    for (unsigned lost = 1; lost < 1u << 7; ++lost) {
      if (std::popcount(lost) > 3) continue;
      ChunkSet indices;
      for (unsigned index = 0; index < 7; ++index)
        if ((lost >> index & 1) != 0) coded.remove(index), indices.insert(index);
      const auto report = repair(coded, lost % 2 == 0 ? Reading::all : Reading::needed);
      ASSERT_TRUE(report) << report.error().message();
      EXPECT_EQ(report->rebuilt, indices);
      ASSERT_TRUE(coded.snapshot() == shards) << code << " " << lost;
    }
    EXPECT_EQ(names_in(coded.directory()).size(), 7u);
  }
}

TEST(Repair, MendsScatteredRotAndTouchesNoGoodShard) {
  for (const char* code : {"rs(6,3)", "xrs(6,3)"}) {
    const CodedSet coded(code, 3 * 6 * 65536 + 77, 65536);
    const auto shards = coded.snapshot();
    const ino_t good = inode(coded.shard(4));
    coded.remove(7);
    for (const unsigned index : {0u, 1u, 2u, 3u, 5u, 6u, 8u})
      for (std::uint64_t stripe = 0; stripe < 3; ++stripe) coded.rot_block(index, stripe, (index + stripe) % 8);
    rot(coded.shard(2), coded.striping().area_offset(1) + 4 * 6);  // The checksum of block 6 too.
    const auto report = repair(coded);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->rebuilt, (ChunkSet{0, 1, 2, 3, 5, 6, 7, 8}));
    EXPECT_TRUE(coded.snapshot() == shards) << code;
    EXPECT_EQ(inode(coded.shard(4)), good);
    EXPECT_TRUE(is_good(coded));
  }
}

TEST(Repair, ChangesNothingInAGoodSet) {
  const CodedSet coded("rs(3,2)", 100'000);
  const ino_t before = inode(coded.shard(0));
  const auto report = repair(coded);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->rebuilt.empty());
  EXPECT_EQ(report->bytes_written, 0u);
  EXPECT_EQ(inode(coded.shard(0)), before);
}

// XRS repairs one data shard of (12,4) from 8 shards' worth; RS reads 12.
TEST(Repair, ReadsWhatTheCodeNeedsForOneLostShard) {
  const std::size_t chunk = 1 << 20;
  for (const auto& [code, shards_read] : {std::pair("rs(12,4)", 12), std::pair("xrs(12,4)", 8)}) {
    const CodedSet coded(code, 12 * chunk);
    coded.remove(4);
    const auto report = repair(coded, Reading::needed);
    ASSERT_TRUE(report);
    const auto chunks_read = static_cast<double>(report->bytes_read) / static_cast<double>(chunk);
    EXPECT_NEAR(chunks_read, shards_read, 0.07) << code;  // And the checksum areas.
    EXPECT_TRUE(is_good(coded));
  }
}

TEST(Repair, RewritesCutLongAndRuinedShards) {
  const CodedSet coded("rs(4,3)", 500'000, 16384);
  const auto shards = coded.snapshot();
  fs::resize_file(coded.shard(0), 60'000);
  fs::resize_file(coded.shard(5), fs::file_size(coded.shard(5)) + 10);
  rot(coded.shard(2), 33);
  ASSERT_TRUE(repair(coded));
  EXPECT_TRUE(coded.snapshot() == shards);
  EXPECT_EQ(names_in(coded.directory()).size(), 7u);
}

TEST(Repair, PutsSwappedNamesRight) {
  const CodedSet coded("rs(4,3)", 500'000, 16384);
  const auto shards = coded.snapshot();
  // 0 -> 1 -> 2 -> 0, and 3 is called otherwise.
  fs::rename(coded.shard(0), coded.directory() + "/x");
  fs::rename(coded.shard(2), coded.shard(0));
  fs::rename(coded.shard(1), coded.shard(2));
  fs::rename(coded.directory() + "/x", coded.shard(1));
  fs::rename(coded.shard(3), coded.directory() + "/three");
  const auto report = repair(coded);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->renamed, (ChunkSet{0, 1, 2, 3}) - ChunkSet{2});  // Two exchanges mend a cycle of three.
  EXPECT_TRUE(report->rebuilt.empty());
  EXPECT_TRUE(coded.snapshot() == shards);
  EXPECT_TRUE(is_good(coded));
}

TEST(Repair, LosesNoGoodShardThatHasTheNameOfALostOne) {
  const CodedSet coded("rs(4,2)", 500'000, 16384);
  const auto shards = coded.snapshot();
  coded.remove(5);
  fs::rename(coded.shard(3), coded.shard(5));
  ASSERT_TRUE(repair(coded));
  EXPECT_TRUE(coded.snapshot() == shards);
}

TEST(Repair, LeavesForeignFilesAndDuplicatesAlone) {
  const CodedSet coded("rs(4,2)", 500'000, 16384);
  const CodedSet other("rs(4,2)", 500'000, 16384);
  const auto shards = coded.snapshot();
  const std::string foreign = read_file(other.shard(1));
  write_file(coded.shard(1), foreign);
  fs::copy_file(coded.shard(2), coded.directory() + "/copy");
  const auto report = repair(coded);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->rebuilt, ChunkSet{1});
  EXPECT_TRUE(read_file(coded.shard(1)) == foreign);
  EXPECT_TRUE(read_file(coded.directory() + "/copy") == shards[2]);
  EXPECT_TRUE(read_file(coded.directory() + "/shard-001.1.parapet") == shards[1]);
  // The rebuilt shard counts, though its name is not the right one.
  Progress progress;
  EXPECT_EQ(verify_set(coded.directory(), 2, progress).value().block_rows_lost, 0u);
  fs::remove(coded.shard(1));
  fs::remove(coded.directory() + "/copy");
  ASSERT_TRUE(repair(coded));
  EXPECT_TRUE(coded.snapshot() == shards);
  EXPECT_TRUE(is_good(coded));
}

TEST(Repair, ChangesNothingWhenTooMuchIsLost) {
  const CodedSet coded("rs(4,2)", 500'000, 16384);
  coded.remove(0);
  coded.remove(1);
  coded.rot_block(2, 3, 1);
  const auto names = names_in(coded.directory());
  const auto report = repair(coded);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().error.code, ErrorCode::too_many_losses);
  EXPECT_NE(report.error().message().find("lost: 0, 1, 2; at stripe 3, block 1"), std::string::npos)
      << report.error().message();
  EXPECT_EQ(names_in(coded.directory()), names);
}

// Rows mend independently of each other: shards 0 and 1 are lost, and each other shard has rot somewhere else, one more
// than the code bears only if it were counted by shard.
TEST(Repair, CountsLossesByRow) {
  const CodedSet coded("rs(4,3)", 4 * 65536, 65536);
  const auto shards = coded.snapshot();
  coded.remove(0);
  coded.remove(1);
  for (unsigned index = 2; index < 7; ++index) coded.rot_block(index, 0, index);
  ASSERT_TRUE(repair(coded));
  EXPECT_TRUE(coded.snapshot() == shards);
}

TEST(Repair, RefusesToWriteWhatContradictsAChecksum) {
  // Parity that is wrong but has right checksums would spoil what is made from it.
  const CodedSet coded("rs(2,1)", 2 * 8192, 8192);
  std::string shard = read_file(coded.shard(2));
  const layout::BlockChecksums checksums(coded.report().header.set_id, 2);
  auto* bytes = reinterpret_cast<std::uint8_t*>(shard.data());
  const std::span<std::uint8_t> area(bytes + coded.striping().area_offset(0), 4096);
  bytes[4096 + 10] ^= 1;
  layout::set_area_entry(area, 0, checksums.of(0, 0, bytes + 4096));
  checksums.seal_area(0, 2, area);
  write_file(coded.shard(2), shard);
  coded.rot_block(0, 0, 0);
  const auto before = coded.snapshot();
  const auto report = repair(coded);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().error.code, ErrorCode::corrupt);
  EXPECT_TRUE(coded.snapshot() == before);
  EXPECT_EQ(names_in(coded.directory()).size(), 3u);
}

TEST(Repair, LeavesNothingWhenStopped) {
  const CodedSet coded("rs(2,1)", 100'000);
  coded.remove(0);
  const auto names = names_in(coded.directory());
  Progress progress;
  progress.stop = true;
  const auto report = repair_set(coded.directory(), {}, progress);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().error.code, ErrorCode::interrupted);
  EXPECT_EQ(names_in(coded.directory()), names);
}

}  // namespace
}  // namespace parapet::shard

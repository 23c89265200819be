#include "shard/shard_set.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "shard/coded_set.h"

namespace parapet::shard {
namespace {

namespace fs = std::filesystem;

/// "kind file index", sorted.
std::vector<std::string> summary(const ShardSet& set) {
  std::vector<std::string> lines;
  for (const Finding& finding : set.findings())
    lines.push_back(std::string(kind_text(finding.kind)) + " " + finding.file + " " +
                    (finding.index ? std::to_string(*finding.index) : "-"));
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> summary(const CodedSet& coded) { return summary(ShardSet::open(coded.directory()).value()); }

using Lines = std::vector<std::string>;

TEST(ShardName, IsReadAsItIsWritten) {
  EXPECT_EQ(shard_name(7), "shard-007.parapet");
  EXPECT_EQ(index_of_name("shard-255.parapet"), 255u);
  for (const char* name : {"shard-256.parapet", "shard-7.parapet", "shard-007.parapet~", "shard-007", ""})
    EXPECT_FALSE(index_of_name(name)) << name;
}

TEST(ShardSet, OpensAGoodSet) {
  const CodedSet coded("rs(3,2)", 100'000);
  const ShardSet set = ShardSet::open(coded.directory()).value();
  EXPECT_EQ(summary(set), Lines{});
  EXPECT_EQ(set.whole(), ChunkSet::range(0, 5));
  EXPECT_EQ(set.available(0), ChunkSet::range(0, 5));
  EXPECT_EQ(set.format().header, coded.report().header);
}

TEST(ShardSet, FindsMissingShards) {
  const CodedSet coded("rs(3,2)", 100'000);
  coded.remove(0);
  coded.remove(4);
  EXPECT_EQ(summary(coded), (Lines{"missing  0", "missing  4"}));
}

TEST(ShardSet, FindsCutAndLongShards) {
  const CodedSet coded("rs(3,2)", 100'000, 8192);
  fs::resize_file(coded.shard(1), fs::file_size(coded.shard(1)) - 1);
  fs::resize_file(coded.shard(2), fs::file_size(coded.shard(2)) + 1);
  fs::resize_file(coded.shard(3), 100);
  EXPECT_EQ(summary(coded),
            (Lines{"bad-header shard-003.parapet 3", "too-long shard-002.parapet 2", "truncated shard-001.parapet 1"}));
  const ShardSet set = ShardSet::open(coded.directory()).value();
  EXPECT_EQ(set.whole(), (ChunkSet{0, 4}));
  EXPECT_EQ(set.available(0), (ChunkSet{0, 1, 2, 4}));
  EXPECT_EQ(set.available(set.format().striping.stripe_count() - 1), (ChunkSet{0, 2, 4}));
}

TEST(ShardSet, GoesByHeadersNotByNames) {
  const CodedSet coded("rs(3,2)", 100'000);
  fs::rename(coded.shard(0), coded.directory() + "/x");
  fs::rename(coded.shard(3), coded.shard(0));
  fs::rename(coded.directory() + "/x", coded.shard(3));
  fs::rename(coded.shard(1), coded.directory() + "/some name\n");
  EXPECT_EQ(summary(coded),
            (Lines{"wrong-name shard-000.parapet 3", "wrong-name shard-003.parapet 0", "wrong-name some name\n 1"}));
  EXPECT_EQ(ShardSet::open(coded.directory()).value().whole(), ChunkSet::range(0, 5));
}

TEST(ShardSet, PrefersTheWholeAndRightlyNamedOfDuplicates) {
  const CodedSet coded("rs(3,2)", 100'000);
  fs::copy_file(coded.shard(2), coded.directory() + "/a copy");
  fs::copy_file(coded.shard(1), coded.directory() + "/another");
  fs::resize_file(coded.shard(1), 5000);
  EXPECT_EQ(summary(coded), (Lines{"duplicate a copy 2", "duplicate shard-001.parapet 1", "wrong-name another 1"}));
}

TEST(ShardSet, FindsRuinedAndUnreadableFiles) {
  const CodedSet coded("rs(3,2)", 100'000);
  rot(coded.shard(0), 40);
  coded.remove(1);
  fs::create_directory(coded.shard(1));
  write_file(coded.shard(2), "");
  EXPECT_EQ(summary(coded), (Lines{"bad-header shard-000.parapet 0", "bad-header shard-002.parapet 2",
                                   "unreadable shard-001.parapet 1"}));
}

TEST(ShardSet, IgnoresWhatIsNoShard) {
  const CodedSet coded("rs(3,2)", 100'000);
  write_file(coded.directory() + "/notes.txt", "hello");
  write_file(coded.directory() + "/long", random_text(10'000));
  fs::create_directory(coded.directory() + "/directory");
  fs::copy_file(coded.shard(0), coded.directory() + "/.hidden");
  EXPECT_EQ(summary(coded), Lines{});
}

TEST(ShardSet, TakesTheSetWithMostShards) {
  const CodedSet coded("rs(3,2)", 100'000);
  const CodedSet other("rs(3,2)", 100'000);
  fs::copy_file(other.shard(1), coded.shard(1), fs::copy_options::overwrite_existing);
  fs::copy_file(other.shard(2), coded.directory() + "/guest");
  EXPECT_EQ(summary(coded), (Lines{"foreign guest -", "foreign shard-001.parapet -", "missing  1"}));
}

TEST(ShardSet, RefusesTwoSetsOfTheSameSize) {
  const CodedSet coded("rs(3,2)", 100'000);
  const CodedSet other("rs(3,2)", 100'000);
  for (unsigned index = 0; index < 5; ++index)
    fs::copy_file(other.shard(index), coded.directory() + "/other" + std::to_string(index));
  const auto set = ShardSet::open(coded.directory());
  ASSERT_FALSE(set);
  const std::string message = set.error().message();
  EXPECT_NE(message.find(coded.report().header.set_id.text()), std::string::npos) << message;
  EXPECT_NE(message.find(other.report().header.set_id.text()), std::string::npos) << message;
}

TEST(ShardSet, SaysWhenThereIsNoSet) {
  const ScratchDirectory scratch;
  EXPECT_EQ(ShardSet::open(scratch.path()).error().error.code, ErrorCode::not_found);
  EXPECT_EQ(ShardSet::open(scratch / "nowhere").error().error.code, ErrorCode::not_found);
  write_file(scratch / "file", "x");
  EXPECT_EQ(ShardSet::open(scratch / "file").error().error.os_errno, ENOTDIR);
}

TEST(ShardSet, RefusesAHeaderThatDisagreesWithItsCode) {
  layout::ShardHeader header = CodedSet("rs(3,2)", 1).report().header;
  EXPECT_TRUE(SetFormat::make(header));
  header.k = 4;
  EXPECT_FALSE(SetFormat::make(header));
  header.k = 3;
  header.granule_size = 8192;
  EXPECT_FALSE(SetFormat::make(header));
  header.granule_size = 4096;
  header.code = "rs( 3,2)";
  EXPECT_FALSE(SetFormat::make(header));
  header.code = "nonsense(3,2)";
  EXPECT_FALSE(SetFormat::make(header));
}

}  // namespace
}  // namespace parapet::shard

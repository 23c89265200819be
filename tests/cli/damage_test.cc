#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "shard/scratch_directory.h"
#include "tests/cli/program.h"

namespace parapet::cli_test {
namespace {

using shard::random_text;
using shard::read_file;
using shard::rot;
using shard::ScratchDirectory;
using shard::write_file;

namespace fs = std::filesystem;

/// A set of xrs(4,2) from a file of three stripes and a bit; chunks of 16 blocks.
class Damage : public testing::Test {
 protected:
  void SetUp() override {
    write_file(file_, content_);
    encode(directory_);
  }
  void encode(const std::string& directory) const {
    const Outcome encoded = run({"encode", file_, "--code", "xrs(4,2)", "--chunk-size", "64K", "--out", directory});
    ASSERT_EQ(encoded.status, 0) << encoded.err;
  }
  [[nodiscard]] std::string shard(unsigned index) const {
    return directory_ + fmt::format("/shard-{:03}.parapet", index);
  }

  /// The kinds and files that `verify` finds, which must make it fail.
  [[nodiscard]] std::vector<std::string> findings() const {
    const Outcome verified = run({"verify", directory_, "--json"});
    EXPECT_EQ(verified.status, 1);
    EXPECT_TRUE(verified.has_one_error_line()) << verified.err;
    std::vector<std::string> list;
    const nlohmann::json report = verified.json();
    for (const auto& finding : report["findings"])
      list.push_back(finding["kind"].get<std::string>() + " " +
                     (finding["file"].is_null() ? "-" : finding["file"].get<std::string>()));
    std::ranges::sort(list);
    return list;
  }

  /// The file comes back whole, the damage being named, and a repair leaves nothing to find.
  void expect_healing() const {
    const Outcome decoded = run({"decode", directory_, "--out", scratch_ / "out", "--json"});
    ASSERT_EQ(decoded.status, 0) << decoded.err;
    EXPECT_TRUE(read_file(scratch_ / "out") == content_);
    const Outcome repaired = run({"repair", directory_, "--json"});
    ASSERT_EQ(repaired.status, 0) << repaired.err;
    EXPECT_FALSE(repaired.json()["findings"].empty());
    const Outcome verified = run({"verify", directory_});
    EXPECT_EQ(verified.status, 0) << verified.out;
  }

  /// Neither decode nor repair succeeds; each says why in one line, and nothing changes.
  void expect_loss(const std::string& words) const {
    const auto names = shard::names_in(directory_);
    for (const Arguments& arguments :
         {Arguments{"decode", directory_, "--out", scratch_ / "out"}, Arguments{"repair", directory_}}) {
      const Outcome outcome = run(arguments);
      EXPECT_EQ(outcome.status, 1);
      EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
      EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
      EXPECT_EQ(outcome.out, "");
    }
    EXPECT_FALSE(fs::exists(scratch_ / "out"));
    EXPECT_EQ(shard::names_in(directory_), names);
  }

  ScratchDirectory scratch_;
  std::string content_ = random_text(3 * 4 * 65536 + 5000);
  std::string file_ = scratch_ / "file";
  std::string directory_ = scratch_ / "set";
};

using Lines = std::vector<std::string>;

TEST_F(Damage, Missing) {
  fs::remove(shard(1));
  fs::remove(shard(4));
  EXPECT_EQ(findings(), (Lines{"missing -", "missing -"}));
  expect_healing();
}

TEST_F(Damage, Truncated) {
  fs::resize_file(shard(2), 100'000);
  EXPECT_EQ(findings(), Lines{"truncated shard-002.parapet"});
  expect_healing();
}

TEST_F(Damage, TooLong) {
  std::ofstream(shard(2), std::ios::app) << "more";
  EXPECT_EQ(findings(), Lines{"too-long shard-002.parapet"});
  expect_healing();
}

TEST_F(Damage, Empty) {
  write_file(shard(0), "");
  EXPECT_EQ(findings(), Lines{"bad-header shard-000.parapet"});
  expect_healing();
}

TEST_F(Damage, Swapped) {
  fs::rename(shard(0), scratch_ / "x");
  fs::rename(shard(5), shard(0));
  fs::rename(scratch_ / "x", shard(5));
  EXPECT_EQ(findings(), (Lines{"wrong-name shard-000.parapet", "wrong-name shard-005.parapet"}));
  expect_healing();
}

TEST_F(Damage, Rotten) {
  for (unsigned index = 0; index < 6; ++index) rot(shard(index), 4096 + 4096 * index + 99);
  EXPECT_EQ(findings().size(), 6u);
  expect_healing();
}

TEST_F(Damage, RottenHeader) {
  rot(shard(3), 20);
  EXPECT_EQ(findings(), Lines{"bad-header shard-003.parapet"});
  expect_healing();
}

TEST_F(Damage, Duplicated) {
  fs::copy_file(shard(3), directory_ + "/copy of three");
  EXPECT_EQ(findings(), Lines{"duplicate copy of three"});
  EXPECT_EQ(run({"repair", directory_}).status, 0);
  EXPECT_TRUE(fs::exists(directory_ + "/copy of three"));
  fs::remove(shard(3));
  EXPECT_EQ(findings(), Lines{"wrong-name copy of three"});
  expect_healing();
}

TEST_F(Damage, Foreign) {
  encode(scratch_ / "other");
  const std::string foreign = read_file(scratch_ / "other/shard-002.parapet");
  write_file(shard(2), foreign);
  EXPECT_EQ(findings(), (Lines{"foreign shard-002.parapet", "missing -"}));
  const Outcome decoded = run({"decode", directory_, "--out", scratch_ / "out"});
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_TRUE(read_file(scratch_ / "out") == content_);
  ASSERT_EQ(run({"repair", directory_}).status, 0);
  EXPECT_TRUE(read_file(shard(2)) == foreign);
  fs::remove(shard(2));
  fs::remove(scratch_ / "out");
  expect_healing();
}

TEST_F(Damage, TwoSetsInOneDirectory) {
  encode(scratch_ / "other");
  for (unsigned index = 0; index < 6; ++index)
    fs::copy_file(scratch_ / fmt::format("other/shard-{:03}.parapet", index), directory_ + fmt::format("/{}", index));
  expect_loss("two sets");
}

TEST_F(Damage, TooManyMissing) {
  for (const unsigned index : {0u, 3u, 5u}) fs::remove(shard(index));
  EXPECT_EQ(findings().size(), 3u);
  EXPECT_EQ(run({"verify", directory_, "--json"}).json()["repairable"], false);
  expect_loss("3 of 6 shards are lost, 4 are needed (lost: 0, 3, 5");
}

TEST_F(Damage, TooMuchRotInOneRow) {
  fs::remove(shard(1));
  rot(shard(2), 4096 + 2 * 4096);
  rot(shard(4), 4096 + 2 * 4096 + 4095);
  EXPECT_EQ(run({"verify", directory_, "--json"}).json()["block_rows_lost"], 1);
  expect_loss("3 of 6 shards are lost, 4 are needed (lost: 1, 2, 4; at stripe 0, block 2)");
}

TEST(Repair, SaysHowMuchOfTheDataItReads) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", random_text(4 * 65536));
  const std::string shard = scratch / "set/shard-001.parapet";
  for (const auto& [code, share] : {std::pair("rs(4,2)", "106.2%"), std::pair("clay(4,2)", "70.3%")}) {
    ASSERT_EQ(run({"encode", scratch / "file", "--code", code, "--chunk-size", "64K", "--out", scratch / "set"}).status,
              0);
    fs::remove(shard);
    const Outcome repaired = run({"repair", scratch / "set", "--lost-only"});
    ASSERT_EQ(repaired.status, 0) << repaired.err;
    EXPECT_NE(repaired.out.find(fmt::format("({} of the set's data)", share)), std::string::npos) << repaired.out;
    fs::remove_all(scratch / "set");
  }
}

TEST(Repair, NamesLossesThatACodeDoesNotBear) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "content");
  ASSERT_EQ(run({"encode", scratch / "file", "--code", "lrc(6,2,2)", "--out", scratch / "set"}).status, 0);
  for (const unsigned index : {0u, 1u, 2u, 6u}) fs::remove(scratch / fmt::format("set/shard-{:03}.parapet", index));
  EXPECT_EQ(run({"verify", scratch / "set", "--json"}).json()["repairable"], false);
  for (const Arguments& arguments :
       {Arguments{"decode", scratch / "set", "--out", scratch / "out"}, Arguments{"repair", scratch / "set"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
    EXPECT_NE(outcome.err.find("4 of 10 shards are lost; the code bears any 3, but not these (lost: 0, 1, 2, 6;"),
              std::string::npos)
        << outcome.err;
  }
}

TEST_F(Damage, LostOnlyLeavesRotAlone) {
  fs::remove(shard(1));
  rot(shard(5), 4096 + 4096 * 9);
  const Outcome repaired = run({"repair", directory_, "--lost-only", "--json"});
  ASSERT_EQ(repaired.status, 0) << repaired.err;
  EXPECT_TRUE(fs::exists(shard(1)));
}

}  // namespace
}  // namespace parapet::cli_test

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "shard/scratch_directory.h"
#include "tests/cli/program.h"

namespace parapet::cli_test {
namespace {

using shard::names_in;
using shard::read_file;
using shard::ScratchDirectory;
using shard::write_file;

namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// Runs it and expects the exit status and one line with `words`; with --json the same line as an object.
void expect_failure(Arguments arguments, int status, const std::string& words) {
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
  EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
  EXPECT_NE(outcome.err.find(words), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  arguments.push_back("--json");
  const Outcome as_json = run(arguments);
  EXPECT_EQ(as_json.status, status);
  EXPECT_EQ("parapet: " + as_json.json()["error"].get<std::string>() + "\n", as_json.err);
}

class BadInput : public testing::Test {
 protected:
  void SetUp() override { write_file(scratch_ / "file", "content"); }
  void TearDown() override { EXPECT_EQ(names_in(scratch_.path()), left_); }
  [[nodiscard]] Arguments encode(const std::string& code) const {
    return {"encode", scratch_ / "file", "--code", code, "--out", scratch_ / "set"};
  }

  ScratchDirectory scratch_;
  Names left_{"file"};  // What must be there in the end.
};

TEST_F(BadInput, WrongUsage) {
  expect_failure({}, 2, "subcommand");
  expect_failure({"fly"}, 2, "fly");
  expect_failure({"encode"}, 2, "FILE");
  expect_failure({"encode", scratch_ / "file"}, 2, "--out");
  expect_failure({"encode", scratch_ / "file", "--out", scratch_ / "set", "--frob"}, 2, "--frob");
  expect_failure({"encode", scratch_ / "file", "extra\nfile", "--out", scratch_ / "set"}, 2, "extra\\nfile");
  expect_failure({"encode", scratch_ / "file", "--out", scratch_ / "set", "--chunk-size", "many"}, 2, "--chunk-size");
  expect_failure({"decode", scratch_ / "set"}, 2, "--out");
  expect_failure({"verify"}, 2, "DIR");
  expect_failure({"completion", "tcsh"}, 2, "tcsh");
}

TEST_F(BadInput, WrongCode) {
  for (const char* code : {"", "rs", "rs(4,2", "rs(4)", "rs(a,b)", "raid(4,2)", "rs(4,2,matrix=odd)", "rs(4,2)x"})
    expect_failure(encode(code), 1, "code");
  expect_failure({"codes", "rs(4,"}, 1, "rs(4,");
}

TEST_F(BadInput, ImpossibleShape) {
  for (const char* code : {"rs(0,2)", "rs(4,0)", "rs(200,100)", "rs(4294967299,2)", "rs(-1,2)"})
    expect_failure(encode(code), 1, "code");
}

TEST_F(BadInput, EveryFamilysRules) {
  const std::pair<const char*, const char*> cases[] = {
      {"xrs(12,1)", "m >= 2"},
      {"hitchhiker(12,1)", "m >= 2"},
      {"lrc(12,2)", "lrc(12,2,2)"},
      {"lrc(12,13,2)", ""},
      {"clay(12,1)", "m >= 2"},
      {"clay(200,4)", "k = 20"},
      {"rdp(12,3)", "m = 2 only"},
      {"rdp(12,2,p=12)", "13"},
      {"evenodd(12,2,p=11)", "13"},
      {"reed_sol_r6_op(12,4)", "m = 2 only"},
      {"cauchy_orig(12,4,w=3)", "the nearest legal w is 4"},
      {"cauchy_good(12,4,packetsize=100)", "the nearest is 104"},
      {"cauchy_good(12,4,frob=1)", "packetsize"},
      {"liberation(12,2,w=12)", "the nearest is 13"},
      {"blaum_roth(7,2,w=7)", "9 of 36"},
      {"liber8tion(9,2)", "at most 8"},
      {"xor(12,2)", "xor(k,1)"},
      {"replication(2,2)", "replication(1,m)"},
      {"raid(12,2)", "unknown family"},
  };
  for (const auto& [code, words] : cases) {
    SCOPED_TRACE(code);
    expect_failure(encode(code), 1, words);
    expect_failure({"codes", code}, 1, words);
  }
}

TEST_F(BadInput, ChunkSizeThatDoesNotFit) {
  const auto with_chunk_size = [&](const char* code, const char* size) {
    Arguments arguments = encode(code);
    arguments.insert(arguments.end(), {"--chunk-size", size});
    return arguments;
  };
  expect_failure(with_chunk_size("rs(4,2)", "5000"), 1, "multiple of 4096");
  expect_failure(
      with_chunk_size("xrs(4,2)", "4K"), 1,
      "each of its 2 sub-chunks would be smaller than a block of 4096 bytes; the smallest that fits is 8192");
  expect_failure(with_chunk_size("clay(12,4)", "1500K"), 1, "the nearest that fit are 1048576 and 2097152");
  expect_failure(with_chunk_size("cauchy_good(4,2,packetsize=24)", "20000"), 1,
                 "whole rounds of 8 packets of 24 bytes; the nearest that fit are 12288 and 24576");
  expect_failure(with_chunk_size("xrs(4,2)", "2G"), 1, "limit");
}

TEST_F(BadInput, CodesToCompare) {
  expect_failure({"codes", "-k", "200", "-m", "100"}, 1, "k + m is 300, the most is 256");
  expect_failure({"codes", "-k", "0"}, 2, "-k");
  expect_failure({"codes", "-m", "many"}, 2, "-m");
  expect_failure({"codes", "rs(4,2)", "-k", "4"}, 2, "-k");
}

TEST_F(BadInput, NoSuchFile) {
  expect_failure({"encode", scratch_ / "none", "--out", scratch_ / "set"}, 1, "No such file");
  expect_failure({"decode", scratch_ / "none", "--out", scratch_ / "out"}, 1, "No such file");
  expect_failure({"verify", scratch_ / "none"}, 1, "No such file");
  expect_failure({"repair", scratch_ / "none"}, 1, "No such file");
  expect_failure({"encode", scratch_ / "file", "--out", scratch_ / "none/set"}, 1, "No such file");
}

TEST_F(BadInput, NoNameForTheOutput) {
  for (const char* name : {"", "/", "."}) expect_failure({"encode", scratch_ / "file", "--out", name}, 1, "");
  expect_failure({"encode", "", "--out", scratch_ / "set"}, 1, "No such file");
}

TEST_F(BadInput, WrongKindOfFile) {
  fs::create_directory(scratch_ / "directory");
  left_ = {"directory", "file", "pipe"};
  ASSERT_EQ(::mkfifo((scratch_ / "pipe").c_str(), 0600), 0);
  expect_failure({"encode", scratch_ / "directory", "--out", scratch_ / "set"}, 1, "Is a directory");
  expect_failure({"encode", scratch_ / "pipe", "--out", scratch_ / "set"}, 1, "not a regular file");
  expect_failure({"encode", "/dev/null", "--out", scratch_ / "set"}, 1, "not a regular file");
  expect_failure({"verify", scratch_ / "file"}, 1, "Not a directory");
  expect_failure({"verify", scratch_ / "directory"}, 1, "no readable shard");
}

TEST_F(BadInput, ExistingOutput) {
  ASSERT_EQ(run(encode("rs(4,2)")).status, 0);
  left_ = {"file", "set"};
  const std::string before = read_file(scratch_ / "set/shard-000.parapet");
  expect_failure(encode("rs(4,2)"), 1, "--force");
  EXPECT_EQ(read_file(scratch_ / "set/shard-000.parapet"), before);
  expect_failure({"decode", scratch_ / "set", "--out", scratch_ / "file"}, 1, "--force");
  EXPECT_EQ(read_file(scratch_ / "file"), "content");

  Arguments forced = encode("rs(2,1)");
  forced.push_back("--force");
  EXPECT_EQ(run(forced).status, 0);
  EXPECT_EQ(names_in(scratch_ / "set").size(), 3u);
  write_file(scratch_ / "file", "other content");
  EXPECT_EQ(run({"decode", scratch_ / "set", "--out", scratch_ / "file", "--force"}).status, 0);
  EXPECT_EQ(read_file(scratch_ / "file"), "content");
}

TEST_F(BadInput, ForceReplacesShardsOnly) {
  fs::create_directory(scratch_ / "home");
  write_file(scratch_ / "home/diary", "dear");
  left_ = {"file", "home"};
  expect_failure({"encode", scratch_ / "file", "--out", scratch_ / "home", "--force"}, 1, "more than shards");
  EXPECT_EQ(read_file(scratch_ / "home/diary"), "dear");
}

TEST_F(BadInput, OutputInsideItself) {
  expect_failure({"encode", scratch_ / "file", "--out", scratch_ / "file", "--force"}, 1, "not a directory");
  EXPECT_EQ(read_file(scratch_ / "file"), "content");
  ASSERT_EQ(run(encode("rs(4,2)")).status, 0);
  left_ = {"file", "set"};
  expect_failure({"decode", scratch_ / "set", "--out", scratch_ / "set/shard-000.parapet", "--force"}, 1,
                 "among the shards");
  expect_failure({"encode", scratch_ / "set/shard-000.parapet", "--out", scratch_ / "set", "--force"}, 1,
                 "holds the file to be encoded");
  EXPECT_EQ(run({"verify", scratch_ / "set"}).status, 0);
}

TEST_F(BadInput, UnreadableFile) {
  ::chmod((scratch_ / "file").c_str(), 0);
  ::chmod(scratch_.path().c_str(), 0777);
  // Root may read everything, so another user tries.
  const auto drop_rights = [] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) _exit(99);
  };
  const Outcome outcome = run(encode("rs(4,2)"), drop_rights);
  if (outcome.status == 127 || outcome.status == 99) GTEST_SKIP() << "the program cannot be run as another user here";
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
  EXPECT_NE(outcome.err.find("Permission denied"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace parapet::cli_test

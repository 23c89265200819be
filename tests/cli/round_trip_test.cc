#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "shard/scratch_directory.h"
#include "tests/cli/program.h"

namespace parapet::cli_test {
namespace {

using shard::random_text;
using shard::read_file;
using shard::ScratchDirectory;
using shard::write_file;

namespace fs = std::filesystem;

/// Encodes a file of `size` bytes, loses two shards (one where no more may be lost), decodes, repairs, verifies.
void round_trip(const std::string& code, std::size_t size, const Arguments& options = {}) {
  SCOPED_TRACE(code + " " + std::to_string(size));
  const ScratchDirectory scratch;
  const std::string content = random_text(size);
  write_file(scratch / "file", content);
  Arguments encode{"encode", scratch / "file", "--code", code, "--out", scratch / "set", "--json"};
  encode.insert(encode.end(), options.begin(), options.end());
  const Outcome encoded = run(encode);
  ASSERT_EQ(encoded.status, 0) << encoded.err;
  EXPECT_EQ(encoded.err, "");
  EXPECT_EQ(encoded.json()["file_length"], size);
  EXPECT_EQ(encoded.json()["code"], code);
  const std::size_t shard_count = shard::names_in(scratch / "set").size();
  EXPECT_EQ(encoded.json()["shard_count"], shard_count);
  const std::string first = scratch / "set/shard-000.parapet";
  const std::string last = scratch / fmt::format("set/shard-{:03}.parapet", shard_count - 1);
  const std::string first_shard = read_file(first);
  const std::string last_shard = read_file(last);
  EXPECT_EQ(first_shard.size(), encoded.json()["shard_size"]);

  fs::remove(first);
  if (encoded.json()["tolerance"] > 1) fs::remove(last);
  const Outcome decoded = run({"decode", scratch / "set", "--out", scratch / "out"});
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_NE(decoded.out.find("shard 0: missing"), std::string::npos) << decoded.out;
  EXPECT_TRUE(read_file(scratch / "out") == content);

  EXPECT_EQ(run({"verify", scratch / "set"}).status, 1);
  ASSERT_EQ(run({"repair", scratch / "set"}).status, 0);
  EXPECT_TRUE(read_file(first) == first_shard);
  EXPECT_TRUE(read_file(last) == last_shard);
  const Outcome verified = run({"verify", scratch / "set"});
  EXPECT_EQ(verified.status, 0);
  EXPECT_EQ(verified.err, "");
}

TEST(RoundTrip, GivesEverySizeBack) {
  const std::size_t stripe = 4 * 16384;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, stripe - 1,
                                 stripe, stripe + 1, 5 * stripe + 77})
    for (const char* code : {"rs(4,2)", "xrs(4,2)"}) round_trip(code, size, {"--chunk-size", "16K"});
}

TEST(RoundTrip, WorksWithEveryFamilyAndMatrix) {
  for (const char* code : {"rs(1,2)",
                           "rs(5,2,matrix=isal)",
                           "rs(5,2,matrix=jerasure)",
                           "rs(5,2,matrix=vandermonde)",
                           "rs(5,2,matrix=par1)",
                           "rs(20,4)",
                           "xrs(12,4)",
                           "hitchhiker(12,4)",
                           "lrc(12,2,2)",
                           "lrc(12,2,2,groups=uniform)",
                           "clay(12,4)",
                           "rdp(5,2)",
                           "evenodd(5,2)",
                           "reed_sol_r6_op(5,2)",
                           "cauchy_orig(5,3)",
                           "cauchy_good(5,3,packetsize=8)",
                           "liberation(5,2,packetsize=24)",
                           "blaum_roth(5,2,packetsize=2048)",
                           "liber8tion(5,2,packetsize=4096)",
                           "xor(5,1)",
                           "replication(1,2)"})
    round_trip(code, 1'000'003);
}

TEST(RoundTrip, TakesTheDefaults) {
  const ScratchDirectory scratch;
  const std::string content = random_text(5'000'000);
  write_file(scratch / "file", content);
  const Outcome encoded = run({"encode", scratch / "file", "--out", scratch / "set"});
  ASSERT_EQ(encoded.status, 0) << encoded.err;
  EXPECT_NE(encoded.out.find("rs(4,2)"), std::string::npos) << encoded.out;
  ASSERT_EQ(run({"decode", scratch / "set", "--out", scratch / "out"}).status, 0);
  EXPECT_TRUE(read_file(scratch / "out") == content);
}

TEST(RoundTrip, TakesStrangeNames) {
  const ScratchDirectory scratch;
  const std::string file = scratch / "a name with spaces,\na new line and -- \xff";
  const std::string directory = scratch / " set\n";
  write_file(file, "content");
  const Outcome encoded = run({"encode", file, "--out", directory});
  ASSERT_EQ(encoded.status, 0) << encoded.err;
  EXPECT_NE(encoded.out.find("spaces,\\na new line and -- \\xff"), std::string::npos) << encoded.out;
  ASSERT_EQ(run({"decode", directory, "--out", scratch / "out"}).status, 0);
  EXPECT_EQ(read_file(scratch / "out"), "content");
  const Outcome refused = run({"encode", file, "--out", directory});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(refused.has_one_error_line()) << refused.err;
  // As JSON, the bytes that are no text are replaced.
  EXPECT_EQ(run({"verify", directory, "--json"}).json()["directory"], directory);
  EXPECT_EQ(run({"encode", file, "--out", directory, "--force", "--json"}).status, 0);
}

TEST(RoundTrip, WorksInTheCurrentDirectory) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "content");
  const auto enter = [&] { fs::current_path(scratch.path()); };
  ASSERT_EQ(run({"encode", "file", "--out", "set/"}, enter).status, 0);
  ASSERT_EQ(run({"decode", "set", "--out", "out"}, enter).status, 0);
  EXPECT_EQ(read_file(scratch / "out"), "content");
  EXPECT_EQ(shard::names_in(scratch.path()), (std::set<std::string>{"file", "out", "set"}));
}

}  // namespace
}  // namespace parapet::cli_test

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "shard/scratch_directory.h"
#include "tests/cli/program.h"

namespace parapet::cli_test {
namespace {

using shard::ScratchDirectory;
using shard::write_file;

TEST(Output, HelpSaysWhatThereIs) {
  const Outcome help = run({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* command : {"encode", "decode", "verify", "repair", "codes", "bench", "completion"}) {
    EXPECT_NE(help.out.find(command), std::string::npos) << command;
    const Outcome own = run({command, "--help"});
    EXPECT_EQ(own.status, 0);
    EXPECT_NE(own.out.find(std::string("parapet ") + command), std::string::npos) << own.out;
    EXPECT_EQ(own.err, "");
  }
}

TEST(Output, VersionIsOneLine) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.rfind("parapet ", 0), 0u);
  EXPECT_EQ(version.out.find('\n'), version.out.size() - 1);
}

TEST(Output, CodesComparesTheCodesOfAnySize) {
  const Outcome table = run({"codes"});
  EXPECT_EQ(table.status, 0);
  for (const char* part : {"\nclay(12,4) ", "any 3, 86% of 4", "\n  xor(12,4): m is 4"})
    EXPECT_NE(table.out.find(part), std::string::npos) << table.out;
  const nlohmann::json json = run({"codes", "-k", "6", "-m", "2", "--measure", "--json"}).json();
  EXPECT_EQ(json["k"], 6);
  EXPECT_EQ(json["m"], 2);
  EXPECT_EQ(json["codes"].size() + json["absent"].size(), 15u);  // One of each family.
  for (const nlohmann::json& code : json["codes"]) {
    EXPECT_EQ(code["n"], 8) << code;
    EXPECT_EQ(code["tolerance"], 2) << code;
    EXPECT_GT(code["speed"]["encode_gbps"], 0) << code;
    EXPECT_GT(code["speed"]["repair_gbps"], 0) << code;
  }
  EXPECT_EQ(json["codes"][0]["code"], "rs(6,2)");
  EXPECT_EQ(json["absent"][0]["code"], "lrc(6,2,m-2)");
  EXPECT_NE(run({"codes", "-k", "6", "-m", "2", "--measure"}).out.find("GB/S"), std::string::npos);
}

TEST(Output, CodesDescribesACode) {
  EXPECT_NE(run({"codes", "xrs(12,4)"}).out.find("12 chunks of data, 4 of parity"), std::string::npos);
  const nlohmann::json code = run({"codes", "xrs(12,4)", "--json"}).json();
  EXPECT_EQ(code["code"], "xrs(12,4)");
  EXPECT_EQ(code["k"], 12);
  EXPECT_EQ(code["alpha"], 2);
  EXPECT_EQ(code["tolerance"], 4);
  EXPECT_EQ(code["repair_data"]["chunks"], 8.0);
  EXPECT_FALSE(code.contains("speed"));
  const std::string help = run({"codes", "--help"}).out;
  for (const char* usage : {"lrc(k,l,g)", "xrs(k,m)", "packetsize=BYTES"})
    EXPECT_NE(help.find(usage), std::string::npos) << help;
}

TEST(Output, JsonHasTheSameFieldsAsTheText) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "content");
  const nlohmann::json encoded = run({"encode", scratch / "file", "--out", scratch / "set", "--json"}).json();
  for (const char* field : {"command", "file", "directory", "code", "set_id", "k", "m", "file_length", "chunk_size",
                            "shard_count", "shard_size", "bytes_read", "bytes_written", "seconds"})
    EXPECT_TRUE(encoded.contains(field)) << field;
  const nlohmann::json verified = run({"verify", scratch / "set", "--json"}).json();
  EXPECT_EQ(verified["good"], true);
  EXPECT_EQ(verified["set_id"], encoded["set_id"]);
  const nlohmann::json decoded = run({"decode", scratch / "set", "--out", scratch / "out", "--json"}).json();
  EXPECT_EQ(decoded["bytes_written"], 7);
  std::filesystem::remove(scratch / "set/shard-005.parapet");
  const nlohmann::json repaired = run({"repair", scratch / "set", "--json"}).json();
  EXPECT_EQ(repaired["rebuilt"], nlohmann::json::array({5}));
  EXPECT_EQ(repaired["findings"][0]["kind"], "missing");
  EXPECT_EQ(repaired["findings"][0]["index"], 5);
  EXPECT_EQ(repaired["data_bytes"], 4 * 4096);
}

TEST(Output, ThatCannotBeWrittenIsAnError) {
  const auto to_full_device = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
  const auto to_closed_pipe = [] {
    int ends[2];
    if (::pipe(ends) != 0) _exit(99);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
  };
  for (const Arguments& arguments : {Arguments{"codes"}, Arguments{"--help"}, Arguments{"--version"}}) {
    const Outcome full = run(arguments, to_full_device);
    EXPECT_EQ(full.status, 1);
    EXPECT_TRUE(full.has_one_error_line()) << full.err;
    EXPECT_NE(full.err.find("No space left"), std::string::npos) << full.err;
    const Outcome closed = run(arguments, to_closed_pipe);
    EXPECT_EQ(closed.status, 1);
    EXPECT_NE(closed.err.find("Broken pipe"), std::string::npos) << closed.err;
  }
}

TEST(Completion, IsPrintedForEveryShell) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = run({"completion", shell});
    EXPECT_EQ(script.status, 0);
    for (const char* word : {"encode", "repair", "codec", "chunk-size", "lost-only"})
      EXPECT_NE(script.out.find(word), std::string::npos) << shell << " " << word;
  }
}

/// What bash offers for the last of `words`.
std::string complete(const std::string& script, const std::string& words, int current) {
  const ScratchDirectory scratch;
  write_file(scratch / "script", script + "\nCOMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(current) +
                                     "; _parapet; echo \"${COMPREPLY[@]}\" > " + (scratch / "offered") + "\n");
  EXPECT_EQ(std::system(("bash --norc " + (scratch / "script")).c_str()), 0);
  return shard::read_file(scratch / "offered");
}

TEST(Completion, WorksInBash) {
  const std::string script = run({"completion", "bash"}).out;
  EXPECT_EQ(complete(script, "parapet en", 1), "encode\n");
  EXPECT_EQ(complete(script, "parapet encode --ch", 2), "--chunk-size\n");
  EXPECT_EQ(complete(script, "parapet bench co", 2), "codec\n");
  EXPECT_EQ(complete(script, "parapet bench codec --besi", 3), "--beside\n");
  EXPECT_EQ(complete(script, "parapet encode fil", 2), "\n");  // Files are bash's own business.
}

}  // namespace
}  // namespace parapet::cli_test

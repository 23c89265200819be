// The benchmark from outside: the program `parapet bench codec`, its JSON and its refusals.
#include "bench/codec_benchmark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <map>

namespace parapet::bench {
namespace {

struct Outcome {
  int exit_status;
  std::string output;
};

Outcome run_program(const std::string& arguments) {
  std::FILE* pipe = popen((PARAPET_PROGRAM_PATH " bench codec " + arguments).c_str(), "r");
  Outcome outcome{-1, ""};
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> bytes;
  for (std::size_t count; (count = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    outcome.output.append(bytes.data(), count);
  const int status = pclose(pipe);
  outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// Rows per table, after checking that every rate and ratio is a positive number or, for the originals, absent.
std::map<std::string, std::size_t> checked_row_counts(const nlohmann::json& report) {
  std::map<std::string, std::size_t> counts;
  for (const auto& table : report.at("tables")) {
    counts[table.at("key")] = table.at("rows").size();
    for (const auto& row : table.at("rows")) {
      for (const auto& [key, value] : row.items()) {
        EXPECT_TRUE(!value.is_number() || value.get<double>() > 0.0) << key;
        EXPECT_TRUE(!value.is_null() || key.starts_with("original_")) << key;
      }
    }
  }
  return counts;
}

TEST(CodecBenchmarkTest, QuickJsonHasEveryTable) {
  const Outcome outcome = run_program("--quick --json");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report.at("machine").at("isa"), active_isa().value());
  EXPECT_NE(report.at("machine").at("command").get<std::string>().find("parapet bench codec --quick --json"),
            std::string::npos);
  const std::map<std::string, std::size_t> expected{
      {"encode", 2 * 2 * 2},        // shapes, sizes, layouts
      {"decode", (4 + 2) * 2 * 2},  // losses over both shapes, sizes, layouts
      {"xrs_encode", 2},            // sizes up to 64 KiB
      {"xrs_reconstruct", 4 + 4},   // losses at both sizes
      {"xrs_update", 1},            // 4 KiB
      {"xrs_replace", 8},
      {"families_encode", 19 * 2}};  // codes, layouts; only 64 KiB of the two sizes is measured
  EXPECT_EQ(checked_row_counts(report), expected);
}

TEST(CodecBenchmarkTest, XrsSingleRepairCountsWhatItReads) {
  const auto plan = Code::parse("xrs(12,4)").value().plan_repair(ChunkSet::range(1, 16), {0}, 4096).value();
  EXPECT_EQ(plan.bytes_read(), 4096u * 16 / 2);  // (d + |S|) halves of a vector, |S| = 12 / 3
}

TEST(CodecBenchmarkTest, MeasuresBesideIsal) {
  if (!Isal::load("libisal.so.2")) GTEST_SKIP() << "libisal.so.2 is not installed";
  const Outcome outcome = run_program("--quick --json --beside libisal.so.2 --code 'rs(6,3)' --size 8K");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output;
  const auto report = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(report.at("machine").at("beside_0").get<std::string>().rfind("ISA-L ", 0), 0u);
  EXPECT_EQ(checked_row_counts(report), (std::map<std::string, std::size_t>{{"encode", 2}, {"decode", 6}}));
  EXPECT_GT(report.at("tables")[0].at("rows")[0].at("ratio_to_beside_0"), 0.0);
}

TEST(CodecBenchmarkTest, MeasuresBesideJerasure) {
  if (!Jerasure::load("libJerasure.so.2")) GTEST_SKIP() << "libJerasure.so.2 is not installed";
  const Outcome outcome = run_program("--quick --json --jerasure libJerasure.so.2 --size 1M");
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output;
  const auto counts = checked_row_counts(nlohmann::json::parse(outcome.output));
  EXPECT_EQ(counts.at("families_repair"), 19u);
  EXPECT_EQ(counts.at("jerasure_encode"), (6u * 2 + 2) * 2);  // codes with two packet sizes, without; layouts
}

TEST(CodecBenchmarkTest, TextIsMarkdown) {
  const Outcome outcome = run_program("--quick --code 'rs(4,2)' --size 4K");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.output.rfind("## Codec benchmark\n", 0), 0u);
  EXPECT_NE(outcome.output.find("\n| rs(4,2) | 4 KiB | contiguous | warm "), std::string::npos) << outcome.output;
}

TEST(CodecBenchmarkTest, RefusesWhatItCannotMeasure) {
  for (const std::string arguments : {"--quick --code 'rs(300,4)'", "--quick --code 'xrs(12,4)'", "--quick --size 5000",
                                      "--quick --size 128M", "--quick --beside libno-such-library.so"}) {
    const Outcome outcome = run_program(arguments + " 2>&1");
    EXPECT_EQ(outcome.exit_status, 1) << arguments;
    EXPECT_EQ(outcome.output.rfind("parapet: ", 0), 0u) << outcome.output;
    EXPECT_EQ(outcome.output.find('\n'), outcome.output.size() - 1) << outcome.output;
  }
}

}  // namespace
}  // namespace parapet::bench

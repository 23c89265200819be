// The benchmark from outside: the program `parapet bench pool`, its JSON and its refusals.
#include "bench/pool_benchmark.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "os/scratch_directory.h"

namespace parapet::bench {
namespace {

struct Outcome {
  int exit_status;
  std::string output;
};

Outcome run_program(const std::string& arguments) {
  std::FILE* pipe = popen((PARAPET_PROGRAM_PATH " bench pool " + arguments).c_str(), "r");
  Outcome outcome{-1, ""};
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> bytes;
  for (std::size_t count; (count = fread(bytes.data(), 1, bytes.size(), pipe)) > 0;)
    outcome.output.append(bytes.data(), count);
  const int status = pclose(pipe);
  outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

constexpr const char* quick = " --seconds 0.01 --rounds 1 --threads 2 --segments 1 --log-size 2M --code 'rs(2,1)' ";

TEST(PoolBenchmarkTest, JsonHasEveryTableAndNothingIsLeft) {
  const os::ScratchDirectory scratch;
  const Outcome outcome = run_program(quick + ("--json --on " + scratch.path()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output;
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
  const auto report = nlohmann::json::parse(outcome.output);
  std::map<std::string, std::size_t> counts;
  for (const auto& table : report.at("tables")) counts[table.at("key")] = table.at("rows").size();
  EXPECT_EQ(counts.at("operations"), 6u * 2);  // cases, states of the log
  EXPECT_EQ(counts.at("limits"), 5u * 2);
  EXPECT_EQ(counts.at("devices"), 6u * 2);
  EXPECT_GE(counts.at("references"), 10u);
  EXPECT_GT(counts.at("floors"), 0u);
  for (const auto& row : report.at("tables")[1].at("rows")) {
    EXPECT_GT(row.at("rate"), 0.0);
    EXPECT_GT(row.at("ratio"), 0.0);
  }
}

TEST(PoolBenchmarkTest, PoolsOfSeveralSizesAreMeasured) {
  const os::ScratchDirectory scratch;
  const Outcome outcome =
      run_program(quick + ("--only-scaling --scaling 4M --scaling 8M --json --on " + scratch.path()));
  ASSERT_EQ(outcome.exit_status, 0) << outcome.output;
  const auto report = nlohmann::json::parse(outcome.output);
  ASSERT_EQ(report.at("tables").size(), 2u);
  EXPECT_EQ(report.at("tables")[0].at("rows")[0].at("segments"), 2.0);
  EXPECT_EQ(report.at("tables")[0].at("rows")[1].at("segments"), 4.0);
}

TEST(PoolBenchmarkTest, RefusesWhatItCannotMeasure) {
  for (const std::string arguments : {"--code 'rs(300,4)'", "--devices 2", "--threads 0", "--rounds 0", "--seconds 0",
                                      "--segments 0", "--log-size 5000", "--on /no/such/directory"}) {
    const Outcome outcome = run_program(arguments + " 2>&1");
    EXPECT_EQ(outcome.exit_status, 1) << arguments;
    EXPECT_EQ(outcome.output.rfind("parapet: ", 0), 0u) << outcome.output;
  }
  EXPECT_EQ(run_program("--scheme raid 2>&1").exit_status, 2);
}

}  // namespace
}  // namespace parapet::bench

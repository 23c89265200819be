#include "sim/exhaustive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/sanitizers.h"

namespace parapet::sim {
namespace {

/// Sanitizers make a crash ten times as long, and look at what any of them reaches.
constexpr std::size_t share = base::has_address_sanitizer ? 6 : 1;

/// Prints what was looked at, so that less than before is seen.
void expect_good(unsigned number, const ExploreCounts& counts) {
  fmt::print("{}: {} workloads, {} crashes, {} states, {} distinct, {} recovered, {} of them after a second crash\n",
             name_of(small_pools()[number]), counts.workloads, counts.crashes, counts.states, counts.distinct_states,
             counts.recoveries, counts.second_crashes);
  for (const std::string& failure : counts.failures) ADD_FAILURE() << failure;
}

class EverySmallPool : public testing::TestWithParam<unsigned> {};

TEST_P(EverySmallPool, SurvivesCrashesOfTwoOperations) {
  report_state_on_abort();
  Exploration exploration(GetParam(),
                          {.states_per_workload = 12 / share, .recovery_one_in = 32, .states_per_recovery = 16});
  exploration.explore_creation();
  for (std::size_t length : {1, 2})
    for (const std::string& workload : workloads_of(length)) exploration.explore(workload);
  expect_good(GetParam(), exploration.counts());
  EXPECT_EQ(exploration.counts().workloads, 1 + 8 + 64u);
  EXPECT_GT(exploration.counts().recoveries, 500u / share);
  EXPECT_GT(exploration.counts().second_crashes, 50u / share);
}

INSTANTIATE_TEST_SUITE_P(All, EverySmallPool, testing::Range(0u, static_cast<unsigned>(small_pools().size())));

TEST(SmallPool, SurvivesSomeCrashesOfThreeOperations) {
  report_state_on_abort();
  Exploration exploration(0, {.states_per_workload = 4, .recovery_one_in = 64, .states_per_recovery = 8});
  const std::vector<std::string> workloads = workloads_of(3);
  for (std::size_t i = 1; i < workloads.size(); i += 3 * share) exploration.explore(workloads[i]);
  expect_good(0, exploration.counts());
}

}  // namespace
}  // namespace parapet::sim

// Explores small crashes: `parapet-sim-exhaustive [DEPTH [STATES_PER_WORKLOAD [POOL]]]`, without limits for soaks, or
// `parapet-sim-exhaustive --replay POOL WORKLOAD EVENT CHOICE [EVENT CHOICE]` as failures print it.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "sim/exhaustive.h"

namespace parapet::sim {
namespace {

void print(const ExploreCounts& counts, std::size_t failures_printed) {
  for (std::size_t i = failures_printed; i < counts.failures.size(); ++i) fmt::print("  {}\n", counts.failures[i]);
  std::fflush(stdout);
}

int replay(std::span<char*> arguments) {
  Exploration exploration(static_cast<unsigned>(std::stoul(arguments[0])), {});
  std::vector<CrashChoice> crashes;
  for (std::size_t i = 2; i + 1 < arguments.size(); i += 2)
    crashes.push_back({std::stoull(arguments[i]), std::stoull(arguments[i + 1])});
  const bool found = exploration.replay(arguments[1], crashes);
  print(exploration.counts(), 0);
  if (!found) fmt::print("there is no such crash\n");
  return found && exploration.counts().failures.empty() ? 0 : 1;
}

bool explore(unsigned number, std::size_t depth, const ExploreLimits& limits) {
  Exploration exploration(number, limits);
  exploration.explore_creation();
  print(exploration.counts(), 0);
  for (std::size_t length = 1; length <= depth; ++length) {
    for (const std::string& workload : workloads_of(length)) {
      const std::size_t before = exploration.counts().failures.size();
      exploration.explore(workload);
      print(exploration.counts(), before);
    }
    const ExploreCounts& c = exploration.counts();
    fmt::print(
        "pool {} ({}), {} operations: {} workloads, {} crashes, {} states, {} distinct, {} recovered, {} of them after "
        "a second crash: {} failures\n",
        number, name_of(small_pools()[number]), length, c.workloads, c.crashes, c.states, c.distinct_states,
        c.recoveries, c.second_crashes, c.failures.size());
    std::fflush(stdout);
  }
  return exploration.counts().failures.empty();
}

int run(std::span<char*> arguments) {
  report_state_on_abort();
  if (arguments.size() >= 5 && std::strcmp(arguments[0], "--replay") == 0) return replay(arguments.subspan(1));
  const std::size_t depth = arguments.empty() ? 2 : std::stoul(arguments[0]);
  ExploreLimits limits;
  if (arguments.size() > 1) limits.states_per_workload = std::stoul(arguments[1]);
  bool good = true;
  for (unsigned number = 0; number < small_pools().size(); ++number)
    if (arguments.size() < 3 || std::stoul(arguments[2]) == number) good = explore(number, depth, limits) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace parapet::sim

int main(int argc, char** argv) { return parapet::sim::run({argv + 1, static_cast<std::size_t>(argc - 1)}); }

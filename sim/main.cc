// Runs simulated worlds: `parapet_sim FIRST [COUNT]`, or `parapet_sim --trace SEED`.
#include <fmt/format.h>

#include <cstring>
#include <iostream>

#include "sim/world.h"

int main(int argc, char** argv) {
  const bool traced = argc > 2 && std::strcmp(argv[1], "--trace") == 0;
  const std::uint64_t first = argc > 1 ? std::stoull(argv[traced ? 2 : 1]) : 1;
  const std::uint64_t count = !traced && argc > 2 ? std::stoull(argv[2]) : 1;
  std::uint64_t failed = 0, operations = 0;
  std::map<std::string, std::uint64_t> events;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const auto result = parapet::sim::run_world(seed, traced ? &std::cout : nullptr);
    operations += result.operations;
    for (const auto& [name, times] : result.events) events[name] += times;
    if (!result.failure) continue;
    ++failed;
    fmt::print("seed {}: {}\n", seed, *result.failure);
    std::cout.flush();
  }
  fmt::print("{} worlds, {} operations", count, operations);
  for (const auto& [name, times] : events) fmt::print(", {} {}", name, times);
  fmt::print(": {} failed\n", failed);
  return failed == 0 ? 0 : 1;
}

// One simulated world: a pool of some shape under some scheme, clients, and whatever the seed does to them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

namespace parapet::sim {

struct WorldResult {
  std::optional<std::string> failure;  ///< What went wrong, for people.
  std::uint64_t trace_hash = 0;
  std::uint64_t operations = 0;                 ///< Of clients.
  std::map<std::string, std::uint64_t> events;  ///< Crashes, absences and so on, by name.
};

/// Runs the world of a seed to its end. `trace`: where a readable line per event goes; nullptr for none.
WorldResult run_world(std::uint64_t seed, std::ostream* trace = nullptr);

}  // namespace parapet::sim

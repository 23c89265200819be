// All small crashes of a small pool: every workload of a few operations, the power cut at every I/O event of it, with
// every subset of the writes that were not durable; then recovery, checked, and cut itself at every event of a sample.
//
// Equal states (all disks' durable bytes, and what is known of the segments) are checked once. A workload of n
// operations is crashed in its last one and after it, since a shorter one was crashed before that.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pool/scheme.h"

namespace parapet::sim {

/// One kind of pool.
struct SmallPool {
  std::string code;
  unsigned devices = 0;
  pool::Scheme scheme = pool::Scheme::fo;
};
/// The pools that are explored; their places in the list are their numbers.
std::vector<SmallPool> small_pools();
std::string name_of(const SmallPool& pool);

/// The operations of workloads, a letter each: a write within a block, of a block, over two chunks, of the whole
/// segment; flush, settle, remove, allocate. That of no workload is the creation of the pool itself.
inline constexpr std::array all_operations = {'w', 'b', 'x', 'e', 'f', 's', 'r', 'a'};
inline constexpr std::string_view creation = "-";

/// How much of what is possible is looked at; what is left out is chosen by hash, so the same each time.
struct ExploreLimits {
  std::size_t states_per_workload = ~std::size_t{0};  ///< Distinct states that are recovered.
  unsigned recovery_one_in = 16;                      ///< Recoveries that are themselves cut at every event.
  std::size_t states_per_recovery = 64;
};

struct ExploreCounts {
  std::uint64_t workloads = 0;
  std::uint64_t crashes = 0;          ///< I/O events at which the power was cut, in workloads and in recoveries.
  std::uint64_t states = 0;           ///< Those and what was kept of the writes.
  std::uint64_t distinct_states = 0;  ///< Those that differ.
  std::uint64_t recoveries = 0;       ///< Distinct ones that were recovered and checked.
  std::uint64_t second_crashes = 0;   ///< Of these, those that a crash of a recovery left.
  std::vector<std::string> failures;  ///< For people, with the numbers that `replay` takes.
};

/// One crash: at which event, and what was kept.
struct CrashChoice {
  std::uint64_t event = 0;
  std::uint64_t choice = 0;
};

/// One pool and its workloads. For one OS thread.
class Exploration {
 public:
  Exploration(unsigned pool_number, const ExploreLimits& limits);
  ~Exploration();

  /// Crashes during creation and the first opening. Before any workload.
  void explore_creation();
  void explore(std::string_view workload);
  /// Goes through one crash, or one and a second one in its recovery. False when it does not exist.
  bool replay(std::string_view workload, std::vector<CrashChoice> crashes);

  [[nodiscard]] const ExploreCounts& counts() const;

 private:
  class Run;
  std::unique_ptr<Run> run_;
};

/// Every workload of exactly `length` operations, in order.
std::vector<std::string> workloads_of(std::size_t length);
/// From now on, an assertion that fails or a world that hangs says in which state.
void report_state_on_abort();

}  // namespace parapet::sim

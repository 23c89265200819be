// Breaks the rules of the update protocol one by one, and shows after how many worlds the simulator notices:
// `parapet-sim-mutants [WORLDS [MUTANT]]`.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/mutant.h"
#include "sim/profile.h"
#include "sim/world.h"

namespace {

using parapet::base::Mutant;

/// A rule, broken, and the theme of worlds in which that matters; any theme if it has no name.
struct Entry {
  Mutant mutant;
  std::string_view name;
  std::string_view theme = "";
};

constexpr std::array mutants = {
    Entry{Mutant::move_uncommitted, "move_uncommitted", "power failures"},
    Entry{Mutant::fold_in_place, "fold_in_place"},
    Entry{Mutant::move_without_flush, "move_without_flush"},
    Entry{Mutant::fold_reserve_twice, "fold_reserve_twice"},
    Entry{Mutant::trim_without_flush, "trim_without_flush"},
    Entry{Mutant::trim_without_images, "trim_without_images"},
    Entry{Mutant::no_space_reserved, "no_space_reserved", "famine"},
    Entry{Mutant::lap_the_log, "lap_the_log", "rebuilding"},
    Entry{Mutant::believe_stale_records, "believe_stale_records", "power failures"},
    Entry{Mutant::reuse_units_at_once, "reuse_units_at_once"},
    Entry{Mutant::trust_blocks, "trust_blocks", "rot"},
    Entry{Mutant::one_superblock, "one_superblock"},
    Entry{Mutant::shortest_chain, "shortest_chain"},
    Entry{Mutant::no_fill, "no_fill"},
    Entry{Mutant::repair_before_fill, "repair_before_fill", "rotten logs"},
    Entry{Mutant::serve_before_durable, "serve_before_durable", "power failures"},
    Entry{Mutant::reuse_ids, "reuse_ids"},
    Entry{Mutant::acknowledge_without_a_holder, "acknowledge_without_a_holder"},
    Entry{Mutant::ignore_failed_logs, "ignore_failed_logs"},
    Entry{Mutant::flush_covers_a_hole, "flush_covers_a_hole"},
    Entry{Mutant::no_configuration, "no_configuration"},
    Entry{Mutant::no_majority, "no_majority", "famine"},
    Entry{Mutant::no_missed_mask, "no_missed_mask", "out and in"},
    Entry{Mutant::forget_uncommitted_lack, "forget_uncommitted_lack", "out and in"},
    Entry{Mutant::trust_returned_devices, "trust_returned_devices"},
    Entry{Mutant::count_before_durable, "count_before_durable"},
    Entry{Mutant::no_members, "no_members", "rotten logs"},
    Entry{Mutant::drop_staged_images, "drop_staged_images", "rebuilding"},
    Entry{Mutant::remove_in_one_step, "remove_in_one_step", "removal"},
};

/// Runs worlds in a process of its own, since a broken engine may also fail an assertion or never end. Writes the
/// number of the one that failed, and why.
void run_worlds(const Entry& entry, std::uint64_t count, int pipe) {
  constexpr unsigned world_time_max_s = 20;
  parapet::base::active_mutant = entry.mutant;
  for (std::uint64_t number = 1; number <= count; ++number) {
    (void)!write(pipe, &number, sizeof number);
    alarm(world_time_max_s);
    const auto result = parapet::sim::run_world(parapet::sim::seed_of(entry.theme, number));
    if (!result.failure) continue;
    (void)!write(pipe, result.failure->data(), result.failure->size());
    _exit(1);
  }
  _exit(0);
}

/// How the worlds of a mutant ended.
struct Verdict {
  bool found = false;
  std::uint64_t number = 0;  ///< Of the world, among those of the theme.
  std::string why;
};

Verdict judge(const Entry& entry, std::uint64_t count) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
    run_worlds(entry, count, ends[1]);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 4096> buffer;
  for (ssize_t size; (size = read(ends[0], buffer.data(), buffer.size())) > 0;) said.append(buffer.data(), size);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Verdict verdict;
  verdict.found = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  // The numbers of the worlds come first, eight bytes each; each is one more than the one before.
  std::size_t at = 0;
  for (std::uint64_t number; at + sizeof number <= said.size(); at += sizeof number) {
    std::memcpy(&number, said.data() + at, sizeof number);
    if (number != verdict.number + 1) break;
    verdict.number = number;
  }
  verdict.why = said.substr(at);
  if (WIFSIGNALED(status)) verdict.why = WTERMSIG(status) == SIGALRM ? "it does not end" : "an assertion fails";
  return verdict;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::stoull(argv[1]) : 4000;
  const auto named = [&](const Entry& entry) { return argc < 3 || entry.name == argv[2]; };
  if (std::ranges::none_of(mutants, named)) {
    fmt::print("there is no mutant {}\n", argv[2]);
    return 2;
  }
  unsigned survivors = 0;
  for (const Entry& entry : mutants) {
    if (!named(entry)) continue;
    const Verdict verdict = judge(entry, count);
    if (!verdict.found) ++survivors;
    fmt::print("{:30} {}\n", entry.name,
               verdict.found ? fmt::format("found in world {:4}, seed {}: {}", verdict.number,
                                           parapet::sim::seed_of(entry.theme, verdict.number), verdict.why)
                             : fmt::format("NOT FOUND in {} worlds", count));
    std::fflush(stdout);
  }
  fmt::print("{} not found\n", survivors);
  return survivors == 0 ? 0 : 1;
}

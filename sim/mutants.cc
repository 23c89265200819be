// Breaks the rules of the update protocol one by one, and shows after how many worlds the simulator notices:
// `parapet-sim-mutants [WORLDS [MUTANT]]`.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/mutant.h"
#include "sim/world.h"

namespace {

using parapet::base::Mutant;

constexpr std::array<std::pair<Mutant, std::string_view>, 27> mutants = {{
    {Mutant::move_uncommitted, "move_uncommitted"},
    {Mutant::fold_in_place, "fold_in_place"},
    {Mutant::move_without_flush, "move_without_flush"},
    {Mutant::fold_reserve_twice, "fold_reserve_twice"},
    {Mutant::trim_without_flush, "trim_without_flush"},
    {Mutant::trim_without_images, "trim_without_images"},
    {Mutant::lap_the_log, "lap_the_log"},
    {Mutant::believe_stale_records, "believe_stale_records"},
    {Mutant::reuse_units_at_once, "reuse_units_at_once"},
    {Mutant::trust_blocks, "trust_blocks"},
    {Mutant::one_superblock, "one_superblock"},
    {Mutant::shortest_chain, "shortest_chain"},
    {Mutant::no_fill, "no_fill"},
    {Mutant::serve_before_durable, "serve_before_durable"},
    {Mutant::reuse_ids, "reuse_ids"},
    {Mutant::acknowledge_without_a_holder, "acknowledge_without_a_holder"},
    {Mutant::ignore_failed_logs, "ignore_failed_logs"},
    {Mutant::no_configuration, "no_configuration"},
    {Mutant::no_majority, "no_majority"},
    {Mutant::no_missed_mask, "no_missed_mask"},
    {Mutant::missed_mask_not_durable, "missed_mask_not_durable"},
    {Mutant::forget_uncommitted_lack, "forget_uncommitted_lack"},
    {Mutant::trust_returned_devices, "trust_returned_devices"},
    {Mutant::count_before_durable, "count_before_durable"},
    {Mutant::no_members, "no_members"},
    {Mutant::drop_staged_images, "drop_staged_images"},
    {Mutant::remove_in_one_step, "remove_in_one_step"},
}};

/// Runs worlds in a process of its own, since a broken engine may also fail an assertion or never end. Writes the
/// number of the one that failed, and why.
void run_worlds(Mutant mutant, std::uint64_t count, int pipe) {
  constexpr unsigned world_time_max_s = 20;
  parapet::base::active_mutant = mutant;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    (void)!write(pipe, &seed, sizeof seed);
    alarm(world_time_max_s);
    const auto result = parapet::sim::run_world(seed);
    if (!result.failure) continue;
    (void)!write(pipe, result.failure->data(), result.failure->size());
    _exit(1);
  }
  _exit(0);
}

/// How the worlds of a mutant ended.
struct Verdict {
  bool found = false;
  std::uint64_t seed = 0;
  std::string why;
};

Verdict judge(Mutant mutant, std::uint64_t count) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
    run_worlds(mutant, count, ends[1]);
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
  for (std::uint64_t seed; at + sizeof seed <= said.size(); at += sizeof seed) {
    std::memcpy(&seed, said.data() + at, sizeof seed);
    if (seed != verdict.seed + 1) break;
    verdict.seed = seed;
  }
  verdict.why = said.substr(at);
  if (WIFSIGNALED(status)) verdict.why = WTERMSIG(status) == SIGALRM ? "it does not end" : "an assertion fails";
  return verdict;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t count = argc > 1 ? std::stoull(argv[1]) : 500;
  unsigned survivors = 0;
  for (const auto& [mutant, name] : mutants) {
    if (argc > 2 && name != argv[2]) continue;
    const Verdict verdict = judge(mutant, count);
    if (!verdict.found) ++survivors;
    fmt::print("{:30} {}\n", name,
               verdict.found ? fmt::format("found in world {:4}: {}", verdict.seed, verdict.why)
                             : fmt::format("NOT FOUND in {} worlds", count));
    std::fflush(stdout);
  }
  fmt::print("{} not found\n", survivors);
  return survivors == 0 ? 0 : 1;
}

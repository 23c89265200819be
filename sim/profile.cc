#include "sim/profile.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::sim {
namespace {

std::vector<Profile> make_profiles() {
  using enum Operation;
  return {
      {.name = "everything",
       .absence = 50,
       .attack = 50,
       .attacks = {Attack::read_errors, Attack::write_errors, Attack::flush_errors, Attack::lost_writes,
                   Attack::misdirected_writes, Attack::misdirected_reads, Attack::rot, Attack::rotten_bits,
                   Attack::stuck, Attack::late, Attack::death, Attack::stale}},
      {.name = "absence",
       .rounds_max = 8,
       .absence = 70,
       .crash = 40,
       .crash_in = {settle, settle, restore, open},
       .idle = 30,
       .restore = 40,
       .verify = 50,
       .put_out = 40,
       .remove = 10,
       .settle = 80,
       .steps_max = 6},
      {.name = "out and in",
       .rounds_max = 16,
       .absence = 60,
       .crash = 40,
       .crash_in = {settle, settle, flush},
       .idle = 60,
       .restore = 60,
       .put_out = 100,
       .remove = 0,
       .settle = 90,
       .steps_max = 5,
       .flush = 5},
      {.name = "power failures",
       .rounds_max = 24,
       .absence = 50,
       .crash = 90,
       .crash_in = {flush, flush, settle},
       .idle = 40,
       .restore = 90,
       .remove = 5,
       .settle = 20,
       .steps_max = 30,
       .flush = 4,
       .whole_records = 80},
      {.name = "openings",
       .rounds_max = 16,
       .absence = 70,
       .crash = 100,
       .crash_in = {open},
       .idle = 70,
       .restore = 80,
       .remove = 10,
       .steps_max = 10},
      {.name = "removal",
       .rounds_max = 10,
       .absence = 60,
       .crash = 80,
       .crash_in = {remove, remove, remove, create, open},
       .restore = 90,
       .remove = 100,
       .steps_max = 5},
      {.name = "rebuilding",
       .rounds_max = 6,
       .absence = 50,
       .crash = 70,
       .crash_in = {restore, restore, put_out, settle},
       .restore = 80,
       .verify = 30,
       .put_out = 80,
       .steps_max = 30,
       .flush = 5},
      {.name = "rot",
       .absence = 20,
       .attack = 60,
       .crash = 40,
       .repair = 20,
       .settle = 70,
       .attacks = {Attack::rot, Attack::rot, Attack::rotten_bits, Attack::read_errors, Attack::misdirected_reads}},
      {.name = "rotten logs",
       .rounds_max = 8,
       .absence = 20,
       .attack = 35,
       .famine = 60,
       .crash = 90,
       .crash_in = {open, write, write, flush},
       .restore = 70,
       .settle = 40,
       .flush = 20,
       .attacks = {Attack::rotten_bits}},
      {.name = "failing devices",
       .attack = 80,
       .crash = 50,
       .restore = 80,
       .settle = 50,
       .attacks = {Attack::death, Attack::write_errors, Attack::flush_errors, Attack::stuck, Attack::late}},
      {.name = "old copies",
       .rounds_max = 8,
       .absence = 30,
       .attack = 60,
       .crash = 80,
       .crash_in = {open, open, create, remove, flush},
       .restore = 50,
       .settle = 40,
       .steps_max = 20,
       .attacks = {Attack::stale, Attack::stale, Attack::lost_writes}},
      {.name = "famine",
       .rounds_max = 6,
       .absence = 30,
       .famine = 40,
       .minority = 30,
       .crash = 40,
       .crash_in = {open, settle, flush, remove},
       .remove = 10,
       .settle = 40,
       .steps_max = 20},
  };
}

const std::vector<Profile>& profiles() {
  static const std::vector<Profile> all = make_profiles();
  return all;
}

}  // namespace

const Profile& profile_of(std::uint64_t seed) { return profiles()[seed % profiles().size()]; }

std::uint64_t seed_of(std::string_view theme, std::uint64_t index) {
  if (theme.empty()) return index;
  const auto named = std::ranges::find(profiles(), theme, &Profile::name);
  PARAPET_ASSERT(named != profiles().end());
  return static_cast<std::uint64_t>(named - profiles().begin()) + index * profiles().size();
}

}  // namespace parapet::sim

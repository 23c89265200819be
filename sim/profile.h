// The themes that worlds have. Faults of many kinds at once hide each other, so most worlds have few kinds, but much of
// them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/attack.h"
#include "sim/power_cut.h"

namespace parapet::sim {

/// Chances are in percent. A round is the time from power-on to closing or power failure. The code can do without
/// Shape::budget devices.
struct Profile {
  std::string_view name;
  unsigned rounds_max = 5;
  unsigned absence = 0;                  ///< Of each device that the code can do without: it is absent in a round.
  unsigned attack = 0;                   ///< Of each device that the code can do without: something befalls it.
  unsigned famine = 0;                   ///< Of a round: more devices are absent than the code can do without.
  unsigned minority = 0;                 ///< Of a round: most devices are absent.
  unsigned crash = 66;                   ///< Of a round: it ends with a power failure,
  std::vector<Operation> crash_in = {};  ///< shortly after one of these begins, or at any time if there are none.
  unsigned idle = 0;                     ///< Of a round: it has no clients.
  unsigned restore = 50;                 ///< Of a round: devices that are out are restored as soon as it is open.
  unsigned repair = 0;                   ///< Likewise: all is scrubbed and repaired.
  unsigned verify = 0;                   ///< Likewise: all is verified.
  unsigned put_out = 0;                  ///< Of a round: beside the clients a device is put out, or restored.
  unsigned remove = 25;                  ///< Of a round: a segment is removed.
  unsigned settle = 0;                   ///< Of a round: everything is moved before it closes.
  unsigned steps_max = 60;               ///< Of a client.
  unsigned flush = 12;                   ///< Of a step.
  unsigned whole_records = 0;            ///< Of a write: its deltas fill blocks of the log exactly.
  std::vector<Attack> attacks = {};
};

/// Every theme gets the same share of seeds.
const Profile& profile_of(std::uint64_t seed);
/// Seed number `index` of a theme, from 0 on; of any, if it has no name.
std::uint64_t seed_of(std::string_view theme, std::uint64_t index);

}  // namespace parapet::sim

// What may befall a device.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/prng.h"
#include "simenv/sim_disk.h"

namespace parapet::sim {

enum class Attack : std::uint8_t {
  read_errors,
  write_errors,
  flush_errors,
  lost_writes,
  misdirected_writes,
  misdirected_reads,
  rot,          ///< While it is read.
  rotten_bits,  ///< All at once, before it is opened.
  stuck,
  late,
  death,  ///< Some time after it is opened.
  stale,  ///< After the round it is again as it was before.
};

std::string_view name_of(Attack attack);
/// Whether what the device then has wrong cannot be mistaken for what was there before.
bool shows(Attack attack);
/// Begins it; `death` and `stale` are up to the caller, who knows when they happen.
void begin(Attack attack, simenv::SimDisk& disk, base::Prng& prng);

}  // namespace parapet::sim

#include "sim/attack.h"

#include <array>

namespace parapet::sim {
namespace {

using simenv::FaultKind;

struct Fault {
  FaultKind kind;
  std::uint32_t per_million;
};

constexpr std::uint64_t log_area = 1 << 20;  ///< Superblocks and most logs lie before it.

Fault fault_of(Attack attack) {
  switch (attack) {
    case Attack::read_errors:
      return {FaultKind::read_error, 50'000};
    case Attack::write_errors:
      return {FaultKind::write_error, 20'000};
    case Attack::flush_errors:
      return {FaultKind::flush_error, 50'000};
    case Attack::lost_writes:
      return {FaultKind::lost_write, 20'000};
    case Attack::misdirected_writes:
      return {FaultKind::misdirected_write, 10'000};
    case Attack::misdirected_reads:
      return {FaultKind::misdirected_read, 20'000};
    case Attack::stuck:
      return {FaultKind::stuck, 3'000};
    case Attack::late:
      return {FaultKind::late, 20'000};
    case Attack::rot:
      return {FaultKind::rot, 50'000};
    case Attack::rotten_bits:
    case Attack::death:
    case Attack::stale:
      return {FaultKind::rot, 0};
  }
  return {FaultKind::rot, 0};
}

}  // namespace

std::string_view name_of(Attack attack) {
  constexpr std::array<std::string_view, 12> names = {"read errors",
                                                      "write errors",
                                                      "flush errors",
                                                      "lost writes",
                                                      "misdirected writes",
                                                      "misdirected reads",
                                                      "rot",
                                                      "rotten bits",
                                                      "stuck",
                                                      "late",
                                                      "death",
                                                      "stale"};
  return names[static_cast<std::size_t>(attack)];
}

bool shows(Attack attack) {
  switch (attack) {
    case Attack::read_errors:
    case Attack::rot:
    case Attack::rotten_bits:
    case Attack::death:
      return true;
    default:
      return false;
  }
}

void begin(Attack attack, simenv::SimDisk& disk, base::Prng& prng) {
  if (attack == Attack::rotten_bits) {
    const std::uint64_t area = prng.below(2) == 0 ? disk.size() : log_area;
    for (std::uint64_t i = std::uint64_t{1} << prng.below(10); i > 0; --i) disk.rot(prng.below(area));
    return;
  }
  const Fault fault = fault_of(attack);
  disk.faults().set_rate(fault.kind, fault.per_million);
}

}  // namespace parapet::sim

// The faults of a simulated disk, as data: how often they come by themselves, and which come at a chosen operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "env/disk.h"
#include "env/time.h"

namespace parapet::simenv {

enum class FaultKind : std::uint8_t {
  read_error,         ///< EIO.
  write_error,        ///< EIO; each sector is old or, not durably, new.
  flush_error,        ///< EIO; of the writes that it covers, some will never become durable.
  lost_write,         ///< Acknowledged, never happens.
  misdirected_write,  ///< Acknowledged, lands at another offset.
  misdirected_read,   ///< Succeeds with the bytes of another offset.
  rot,                ///< Before the read a durable bit of its range flips.
  slow,               ///< Takes `slow_factor` times as long.
  stuck,              ///< Is under way until SimDisk::release_stuck, then happens.
  late,               ///< Happens `delay` later than it would.
  no_space,           ///< ENOSPC, without effect.
  dead,               ///< This operation and all later ones fail with EIO.
};
inline constexpr std::size_t fault_kind_count = 12;

std::string_view fault_name(FaultKind kind);
/// Whether a fault of this kind can befall such an operation.
bool can_befall(FaultKind fault, env::Io::Kind operation);

/// Befalls the operations number `first`, `first` + 1, ... (`times` of them) among those that it can befall, that are
/// of kind `only` if set, and that touch [begin, end).
struct ScriptedFault {
  FaultKind kind;
  std::uint64_t first = 0;
  std::uint64_t times = 1;
  std::optional<env::Io::Kind> only = std::nullopt;
  std::uint64_t begin = 0;
  std::uint64_t end = ~std::uint64_t{0};
  std::uint64_t seen = 0;  ///< Matching operations so far.
};

/// Which faults a disk has to fear. A scripted fault goes before random ones; at most one befalls an operation.
class SimFaults {
 public:
  static constexpr std::uint32_t always = 1'000'000;

  /// The chance that an operation which `kind` can befall is befallen, in a million. 0 at first.
  void set_rate(FaultKind kind, std::uint32_t per_million) { rates_[index(kind)] = per_million; }
  void clear_rates() { rates_ = {}; }
  void add(const ScriptedFault& fault) { script_.push_back(fault); }

  /// For disks: decides for the next operation, and counts what it decides.
  std::optional<FaultKind> decide(const env::Io& io, base::Prng& prng);
  /// How many of this kind were injected.
  [[nodiscard]] std::uint64_t count(FaultKind kind) const { return counts_[index(kind)]; }

  unsigned slow_factor = 100;
  env::Time delay{1'000'000'000};

 private:
  static std::size_t index(FaultKind kind) { return static_cast<std::size_t>(kind); }
  std::optional<FaultKind> scripted(const env::Io& io);
  std::optional<FaultKind> random(const env::Io& io, base::Prng& prng) const;

  std::array<std::uint32_t, fault_kind_count> rates_{};
  std::array<std::uint64_t, fault_kind_count> counts_{};
  std::vector<ScriptedFault> script_;
};

}  // namespace parapet::simenv

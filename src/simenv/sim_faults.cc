#include "simenv/sim_faults.h"

namespace parapet::simenv {
namespace {

using Io = env::Io::Kind;

enum class Befalls : std::uint8_t { reads, writes, flushes, all };

struct FaultTraits {
  std::string_view name;
  Befalls befalls;
};

// In the order of FaultKind.
constexpr std::array<FaultTraits, fault_kind_count> traits = {{
    {"read_error", Befalls::reads},
    {"write_error", Befalls::writes},
    {"flush_error", Befalls::flushes},
    {"lost_write", Befalls::writes},
    {"misdirected_write", Befalls::writes},
    {"misdirected_read", Befalls::reads},
    {"rot", Befalls::reads},
    {"slow", Befalls::all},
    {"stuck", Befalls::all},
    {"late", Befalls::all},
    {"no_space", Befalls::writes},
    {"dead", Befalls::all},
}};

Befalls class_of(Io operation) {
  if (operation == Io::read) return Befalls::reads;
  return operation == Io::flush ? Befalls::flushes : Befalls::writes;
}

bool matches(const ScriptedFault& fault, const env::Io& io) {
  if (!can_befall(fault.kind, io.kind) || (fault.only && *fault.only != io.kind)) return false;
  return io.kind == Io::flush || (io.offset < fault.end && fault.begin < io.offset + io.buffer.size());
}

}  // namespace

std::string_view fault_name(FaultKind kind) { return traits[static_cast<std::size_t>(kind)].name; }

bool can_befall(FaultKind fault, Io operation) {
  const Befalls befalls = traits[static_cast<std::size_t>(fault)].befalls;
  return befalls == Befalls::all || befalls == class_of(operation);
}

std::optional<FaultKind> SimFaults::decide(const env::Io& io, base::Prng& prng) {
  std::optional<FaultKind> fault = scripted(io);
  if (!fault) fault = random(io, prng);
  if (fault) ++counts_[index(*fault)];
  return fault;
}

std::optional<FaultKind> SimFaults::scripted(const env::Io& io) {
  std::optional<FaultKind> result;
  for (ScriptedFault& fault : script_) {
    if (!matches(fault, io)) continue;
    const std::uint64_t number = fault.seen++;
    if (!result && number >= fault.first && number - fault.first < fault.times) result = fault.kind;
  }
  return result;
}

std::optional<FaultKind> SimFaults::random(const env::Io& io, base::Prng& prng) const {
  for (std::size_t i = 0; i < fault_kind_count; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    if (rates_[i] > 0 && can_befall(kind, io.kind) && prng.below(always) < rates_[i]) return kind;
  }
  return std::nullopt;
}

}  // namespace parapet::simenv

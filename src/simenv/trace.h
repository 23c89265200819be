// What happened in a simulated world, as a hash always and as text on request.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>

#include "env/time.h"

namespace parapet::simenv {

/// Mixes `value` into a running 64-bit hash. Not for secrets.
constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  std::uint64_t z = (hash ^ value) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The hash of a text.
std::uint64_t hash_text(std::string_view text);

/// One number of a trace line, with its name.
struct TraceValue {
  const char* name;
  std::uint64_t value;
};

/// Two executions with the same hash took the same decisions at the same virtual times. For one OS thread.
class Trace {
 public:
  /// Adds an event: what happened, to whom (a thread, a disk), and its numbers.
  void add(env::Time now, std::string_view event, std::string_view subject,
           std::initializer_list<TraceValue> values = {});
  [[nodiscard]] std::uint64_t hash() const { return hash_; }
  /// From now on writes a line per event; nullptr for none. The stream must outlive the use.
  void write_to(std::ostream* out) { out_ = out; }

 private:
  std::uint64_t hash_ = 0;
  std::ostream* out_ = nullptr;
};

}  // namespace parapet::simenv

// What kind of pool a world has.
#pragma once

#include <cstdint>
#include <string>

#include "base/prng.h"
#include "pool/pool.h"

namespace parapet::sim {

struct Shape {
  std::string code;
  unsigned devices = 0;
  std::uint32_t chunk_size = 0;
  pool::Scheme scheme = pool::Scheme::fo;
  std::uint64_t log_size = 0;

  static Shape any(base::Prng& prng);
  /// With how many devices missing, failed or damaged everything has to be served.
  [[nodiscard]] unsigned budget() const;
  [[nodiscard]] unsigned majority() const { return devices / 2 + 1; }
  /// For people.
  [[nodiscard]] std::string text() const;
};

}  // namespace parapet::sim

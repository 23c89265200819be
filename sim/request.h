// What a client asks for next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prng.h"
#include "sim/profile.h"

namespace parapet::sim {

struct Request {
  enum class Kind : std::uint8_t { none, read, write, flush };
  Kind kind = Kind::none;
  std::size_t offset = 0;
  std::size_t length = 0;

  /// Of a segment of `size` bytes. Clients write different blocks: those of a run of eight belong to one of them.
  static Request any(const Profile& profile, std::size_t size, unsigned client, unsigned client_count,
                     base::Prng& prng);
};

}  // namespace parapet::sim

// How fast a code is on this machine.
#pragma once

#include <cstddef>

#include "parapet/codec.h"

namespace parapet::front {

/// On one thread, in memory, in units of 10^9 bytes per second.
struct CodeSpeed {
  std::size_t chunk_size = 0;
  double encode = 0;  ///< Data coded.
  double repair = 0;  ///< Bytes of the one lost chunk, the first, brought back by its cheapest plan.
};

/// Chunks have the size that `parapet encode` takes by default. Takes some 50 ms.
Result<CodeSpeed> measure_speed(const Code& code);

}  // namespace parapet::front

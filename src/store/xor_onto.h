// Adding deltas to bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parapet::store {

inline void xor_onto(std::uint8_t* to, const std::uint8_t* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] ^= from[i];
}

}  // namespace parapet::store

// How some sub-chunks are made from others, whatever the chunk size.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/program.h"

namespace parapet::codec {

/// Sub-chunk `sub` (0..alpha-1) of chunk `chunk`.
struct SubChunk {
  std::uint32_t chunk = 0;
  std::uint32_t sub = 0;
  friend bool operator==(const SubChunk&, const SubChunk&) = default;
  friend auto operator<=>(const SubChunk&, const SubChunk&) = default;
};

/// The sub-chunks [first, last).
struct SubRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const SubRange&, const SubRange&) = default;
};

/// A read set with the program that turns it into the wanted sub-chunks. It acts on every byte position of the
/// sub-chunks alike, so it serves any range of positions. Immutable.
struct Recipe {
  std::vector<SubChunk> reads;    // ascending: the program's inputs
  std::vector<SubChunk> outputs;  // ascending: the program's outputs
  Program program;
};

}  // namespace parapet::codec

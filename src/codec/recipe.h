// How some sub-chunks are made from others, whatever the chunk size.
#pragma once

#include <vector>

#include "codec/program.h"
#include "codec/shape.h"

namespace parapet::codec {

/// A read set with the program that turns it into the wanted sub-chunks. It acts on every byte position of the
/// sub-chunks alike, so it serves any range of positions. Immutable.
struct Recipe {
  std::vector<SubChunk> reads;    // ascending: the program's inputs
  std::vector<SubChunk> outputs;  // ascending: the program's outputs
  Program program;

  /// About how much memory it takes.
  [[nodiscard]] std::size_t memory_bytes() const {
    return (reads.size() + outputs.size()) * sizeof(SubChunk) + program.memory_bytes();
  }
};

}  // namespace parapet::codec

// A plan: recipes applied to byte ranges of chunks of one size.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "codec/code_impl.h"
#include "parapet/codec.h"

namespace parapet::codec {

/// Where a region of a recipe lies: at `offset` of range `range` of the plan's reads or outputs.
struct Location {
  std::size_t range = 0;
  std::size_t offset = 0;
};

/// Positions [begin, begin + length) of the packets of one round, made by one recipe.
struct PlanPiece {
  std::shared_ptr<const Recipe> recipe;
  std::size_t round = 0;
  std::size_t begin = 0;
  std::size_t length = 0;
  std::vector<Location> inputs;   // for each read of the recipe
  std::vector<Location> outputs;  // for each output of the recipe
};

class PlanImpl {
 public:
  std::vector<ChunkRange> reads;
  std::vector<ChunkRange> outputs;
  std::vector<PlanPiece> pieces;
};

/// The plan that makes bytes [offset, offset + length) of every chunk of `wanted`. The shape has been checked.
Result<std::shared_ptr<const PlanImpl>> make_plan(const CodeImpl& code, const ChunkSet& available,
                                                  const ChunkSet& wanted, std::size_t offset, std::size_t length,
                                                  std::size_t chunk_size, RepairGoal goal);

}  // namespace parapet::codec

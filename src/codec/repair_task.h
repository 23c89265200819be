// What a repair is to make, and what it may read.
#pragma once

#include "codec/shape.h"
#include "parapet/chunk_set.h"
#include "parapet/codec.h"

namespace parapet::codec {

/// Sub-chunks `subs` of the chunks `wanted`, from some of `available`, disjoint from them, at the least cost by `goal`.
struct RepairTask {
  ChunkSet available;
  ChunkSet wanted;
  SubRange subs;
  RepairGoal goal = RepairGoal::fewest_bytes;
  friend bool operator==(const RepairTask&, const RepairTask&) = default;
};

}  // namespace parapet::codec

// A repair plan in whole blocks, which is what checksums cover.
#pragma once

#include <cstddef>
#include <vector>

#include "parapet/codec.h"

namespace parapet::shard {

struct BlockPlan {
  Plan plan;
  std::vector<ChunkRange> reads;  ///< The blocks that the plan touches, ascending; no two ranges of a chunk touch.

  [[nodiscard]] std::size_t bytes_read() const;
};

/// The plan known that touches fewest blocks, and of those one that reads from fewest chunks. Where packets are smaller
/// than blocks, it can be another one than the plan that reads fewest bytes. Errors: those of `Code::plan_repair`.
Result<BlockPlan> plan_blocks(const Code& code, const ChunkSet& available, const ChunkSet& wanted,
                              std::size_t chunk_size);

}  // namespace parapet::shard

#include "shard/block_plan.h"

#include "base/try.h"
#include "layout/shard_header.h"

namespace parapet::shard {
namespace {

using layout::block_size;

BlockPlan in_blocks(Plan plan) {
  std::vector<ChunkRange> reads;
  for (const ChunkRange& read : plan.reads()) {
    const std::size_t begin = read.offset / block_size * block_size;
    const std::size_t end = (read.offset + read.length + block_size - 1) / block_size * block_size;
    const bool touches =
        !reads.empty() && reads.back().chunk == read.chunk && reads.back().offset + reads.back().length >= begin;
    if (touches)
      reads.back().length = end - reads.back().offset;
    else
      reads.push_back({read.chunk, begin, end - begin});
  }
  return {std::move(plan), std::move(reads)};
}

}  // namespace

std::size_t BlockPlan::bytes_read() const {
  std::size_t bytes = 0;
  for (const ChunkRange& read : reads) bytes += read.length;
  return bytes;
}

Result<BlockPlan> plan_blocks(const Code& code, const ChunkSet& available, const ChunkSet& wanted,
                              std::size_t chunk_size) {
  PARAPET_TRY(Plan fewest_bytes, code.plan_repair(available, wanted, chunk_size));
  BlockPlan plan = in_blocks(std::move(fewest_bytes));
  if (plan.bytes_read() == plan.plan.bytes_read()) return plan;
  PARAPET_TRY(Plan fewest_chunks, code.plan_repair(available, wanted, chunk_size, RepairGoal::fewest_chunks));
  BlockPlan other = in_blocks(std::move(fewest_chunks));
  return other.bytes_read() <= plan.bytes_read() ? other : plan;
}

}  // namespace parapet::shard

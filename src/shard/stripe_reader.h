// Reads slices of a shard set and makes good what is lost.
//
// Invariants:
// 1. Bytes that fail their checksum are never used, neither as output nor to reconstruct others.
// 2. What is reconstructed passes the stored checksum wherever that one is known to be good.
// 3. Losses count per row (layout/rows.h).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "shard/block_plan.h"
#include "shard/damage_log.h"
#include "shard/shard_set.h"
#include "shard/slice.h"

namespace parapet::shard {

/// How much to read.
enum class Reading {
  needed,  ///< What the cheapest plan needs.
  all,     ///< Every shard there is, to find all rot.
};

/// The work of one thread. `begin` a stripe, then `read` its slices.
class StripeReader {
 public:
  /// `set` and `log` must outlive it.
  StripeReader(const ShardSet& set, DamageLog& log);

  void begin(std::uint64_t stripe);

  /// Fills the chunks `wanted` of `buffer` with right bytes, reading the others as far as it helps.
  /// Errors: `too_many_losses`, naming the place; `corrupt` when a reconstruction contradicts a checksum.
  FileResult<void> read(const Slice& slice, const ChunkSet& wanted, Reading reading, const SliceBuffer& buffer);

  /// The shards that reach to this stripe.
  [[nodiscard]] const ChunkSet& available() const { return available_; }
  /// After `read`: whether all that was read was good; then it lies in `buffer`.
  [[nodiscard]] bool clean() const { return rows_good_.empty(); }
  /// After a `read` that was not clean: for each row of the slice, the good chunks.
  [[nodiscard]] const std::vector<ChunkSet>& rows_good() const { return rows_good_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct Area {
    bool loaded = false;
    bool intact = false;
    std::vector<std::uint8_t> bytes;
  };

  const Area& area(unsigned index);
  FileResult<const BlockPlan*> plan_for(const ChunkSet& missing, std::size_t chunk_size);
  void collect_ranges(std::size_t chunk_size, const ChunkSet& whole, const BlockPlan* plan);
  bool read_blocks(unsigned index, const Extent& extent, std::span<std::uint8_t> bytes);
  bool read_range(const ChunkRange& range, const Slice& slice, const SliceBuffer& buffer);
  FileResult<void> run_plan(const Plan& plan, const Slice& slice, const SliceBuffer& buffer);
  FileResult<void> mend_rows(const Slice& slice, const ChunkSet& wanted, const SliceBuffer& buffer);
  void read_all(unsigned index, const Slice& slice, const SliceBuffer& buffer);
  FileResult<void> mend_row(std::size_t row, const Slice& slice, const ChunkSet& lost, const SliceBuffer& buffer);
  FileResult<void> check_piece(unsigned index, std::size_t offset, std::span<const std::uint8_t> piece);
  FileError row_lost(std::uint32_t block, const ChunkSet& good) const;

  const ShardSet* set_;
  DamageLog* log_;
  std::uint64_t stripe_ = 0;
  ChunkSet available_;
  std::vector<Area> areas_;
  std::vector<ChunkRange> ranges_;         // Of the gathered chunks.
  std::vector<std::uint32_t> bad_blocks_;  // Of the last read_blocks.
  std::vector<ChunkSet> rows_good_;
  SliceBuffer row_buffer_;
  std::uint64_t bytes_read_ = 0;

  // The plans made for the last losses, by size of the gathered chunks; stripes in a row mostly need the same.
  std::map<std::size_t, BlockPlan> plans_;
  ChunkSet plan_available_;
  ChunkSet plan_missing_;
};

}  // namespace parapet::shard

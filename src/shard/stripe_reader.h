// Reads slices of a shard set and makes good what is lost.
//
// Invariants:
// 1. Bytes that fail their checksum are never used, neither as output nor to reconstruct others.
// 2. What is reconstructed passes the stored checksum wherever that one is known to be good.
// 3. Losses count per block row: the blocks at one position of all sub-chunks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
  StripeReader(const ShardSet& set, DamageLog& log, std::size_t slice_length);

  void begin(std::uint64_t stripe);

  /// Fills the chunks `wanted` of `buffer` with right bytes, reading the others as far as it helps.
  /// Errors: `too_many_losses`, naming the place; `corrupt` when a reconstruction contradicts a checksum.
  FileResult<void> read(const Slice& slice, const ChunkSet& wanted, Reading reading, const SliceBuffer& buffer);

  /// The shards that reach to this stripe.
  [[nodiscard]] const ChunkSet& available() const { return available_; }
  /// After `read`: whether all that was read was good; then it lies in `buffer`.
  [[nodiscard]] bool clean() const { return rows_good_.empty(); }
  /// After a `read` that was not clean: for each block row of the slice, the good chunks.
  [[nodiscard]] const std::vector<ChunkSet>& rows_good() const { return rows_good_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  struct Area {
    bool loaded = false;
    bool intact = false;
    std::vector<std::uint8_t> bytes;
  };
  /// A part of a gathered chunk, in bytes.
  struct Range {
    unsigned chunk;
    std::size_t offset;
    std::size_t length;
  };

  const Area& area(unsigned index);
  FileResult<const Plan*> plan_for(const ChunkSet& missing, std::size_t chunk_size);
  void collect_ranges(const Slice& slice, const ChunkSet& whole, const Plan* plan);
  bool read_blocks(unsigned index, std::uint32_t first_block, std::span<std::uint8_t> bytes);
  bool read_range(const Range& range, const Slice& slice, const SliceBuffer& buffer);
  FileResult<void> run_plan(const Plan& plan, const Slice& slice, const SliceBuffer& buffer);
  FileResult<void> mend_rows(const Slice& slice, const ChunkSet& wanted, const SliceBuffer& buffer);
  FileResult<void> mend_row(std::size_t row, const Slice& slice, const ChunkSet& lost, const SliceBuffer& buffer);
  FileError row_lost(std::uint32_t block, const ChunkSet& good) const;
  [[nodiscard]] std::uint32_t block_at(const Slice& slice, unsigned sub_chunk, std::size_t row) const;

  const ShardSet* set_;
  DamageLog* log_;
  std::uint64_t stripe_ = 0;
  ChunkSet available_;
  std::vector<Area> areas_;
  std::vector<Range> ranges_;
  std::vector<std::uint32_t> bad_blocks_;  // Of the last read_blocks.
  std::vector<ChunkSet> rows_good_;
  SliceBuffer row_buffer_;
  std::uint64_t bytes_read_ = 0;

  // The last plan made; stripes in a row mostly need the same.
  std::optional<Plan> plan_;
  ChunkSet plan_available_;
  ChunkSet plan_missing_;
  std::size_t plan_chunk_size_ = 0;
};

}  // namespace parapet::shard

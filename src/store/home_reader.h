// Reads blocks of a parity chunk's home, and its reserve, as they lie: without what the log has beyond the tag.
#pragma once

#include <vector>

#include "env/io_batch.h"
#include "layout/reserve_record.h"
#include "store/store.h"

namespace parapet::store {

/// Use: construct, run the batch, `finish`. The caller holds a pin, or is the one who moves the chunk.
class HomeReader {
 public:
  /// Adds the reads of `blocks` (ascending), and of the reserve if `with_reserve`, to the batch.
  HomeReader(Store& store, Chunk& chunk, std::vector<std::uint32_t> blocks, bool with_reserve, env::IoBatch& io);

  /// Errors: `corrupt`, `io_failed`; `values` are segment, chunk and block.
  Result<void> finish(const env::IoBatch& io);

  /// After `finish`: the bytes of blocks[index]; zeros for one that was never written.
  [[nodiscard]] const std::uint8_t* block(std::size_t index) const;
  [[nodiscard]] const std::vector<layout::ReserveRecord>& reserve() const { return reserve_; }

 private:
  struct Read {
    std::size_t index;
    std::size_t io_index;
    std::uint32_t checksum;
  };
  Chunk& chunk_;
  layout::SegmentId segment_;
  std::vector<std::uint32_t> blocks_;
  env::IoBuffer bytes_;
  bool given_up_;
  std::vector<Read> reads_;
  env::IoBuffer reserve_bytes_;
  std::size_t reserve_io_ = 0;
  std::vector<layout::ReserveRecord> reserve_;
};

}  // namespace parapet::store

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
  /// After `finish`: all of them, one after another.
  [[nodiscard]] const env::IoBuffer& bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<layout::ReserveRecord>& reserve() const { return reserve_; }

 private:
  struct Read {  ///< Of blocks that lie together on the device.
    std::size_t index;
    std::vector<std::uint32_t> checksums;
    std::size_t io_index;
  };
  void add_reads(Store& store, std::uint64_t home, env::IoBatch& io);
  [[nodiscard]] Result<void> check(const Read& read, const env::IoBatch& io) const;
  [[nodiscard]] Result<void> take_reserve(const env::IoBatch& io);
  [[nodiscard]] Error failed(ErrorCode code, const char* reason, std::size_t place, int os_errno) const;
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

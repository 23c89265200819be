// Reads blocks of a data chunk: from memory what the log has, the rest from the device, checked.
#pragma once

#include <optional>
#include <vector>

#include "env/io_batch.h"
#include "store/store.h"

namespace parapet::store {

/// Use: construct, `add_reads`, run the batch, `finish`. The caller sees to it that no update of these blocks is
/// appended and moved to the home meanwhile: by a lock on the range, or a pin.
class ChunkReader {
 public:
  /// `into`: count blocks. `upto`: the content as of that update; nothing: as of the newest.
  ChunkReader(Store& store, Chunk& chunk, std::uint32_t first_block, std::uint32_t count, env::IoBuffer into,
              std::optional<layout::UpdateId> upto = std::nullopt);

  void add_reads(env::IoBatch& io);
  /// Errors: `corrupt` when a block fails its checksum, `io_failed`; `values` are segment, chunk and block.
  Result<void> finish(const env::IoBatch& io) const;

 private:
  struct Part {  ///< Blocks that lie together on the device.
    std::uint32_t first_block;
    std::vector<std::uint32_t> checksums;
    std::size_t io_index;
  };
  Store& store_;
  Chunk& chunk_;
  layout::SegmentId segment_;
  std::uint32_t first_block_;
  env::IoBuffer into_;
  bool given_up_;
  std::uint64_t home_offset_;
  std::vector<Part> parts_;
};

}  // namespace parapet::store

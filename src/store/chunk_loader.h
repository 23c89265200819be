// A chunk that comes into memory: its slot says what it is, its tag how far it has come.
#pragma once

#include <optional>

#include "env/io_batch.h"
#include "store/store.h"

namespace parapet::store {

/// Several may share one batch of reads. By one thread at a time for each segment; the store outlives it.
class ChunkLoader {
 public:
  ChunkLoader(Store& store, layout::SegmentId segment);

  /// Adds the read of the tag, where it is needed.
  void add_read(env::IoBatch& io);
  /// After the reads: the chunk, which the store knows from now on. Errors: `not_found`; `corrupt` when slot or tag are
  /// damaged, or the log lacks updates of it; `io_failed`.
  Result<ChunkPtr> finish(const env::IoBatch& io);

 private:
  Result<void> prepare(layout::SegmentId segment);
  Result<void> take_tag(const env::IoBatch& io);

  Store& store_;
  std::optional<Error> error_;
  ChunkPtr chunk_;
  bool known_ = false;  ///< The store had it already.
  layout::ChunkSlot slot_;
  std::uint64_t tag_offset_ = 0;
  env::IoBuffer tag_bytes_;
  bool reads_ = false;
  std::size_t io_index_ = 0;
};

}  // namespace parapet::store

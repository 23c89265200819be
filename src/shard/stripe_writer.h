// Writes slices of chunks into new shard files, and their checksums.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/block_checksum.h"
#include "layout/striping.h"
#include "shard/posix_file.h"
#include "shard/slice.h"

namespace parapet::shard {

/// A shard file in the making.
struct ShardOutput {
  unsigned index;
  const PosixFile* file;
  layout::BlockChecksums checksums;
};

/// The work of one thread: `write` all slices of a stripe, then `finish` it.
class StripeWriter {
 public:
  /// Both must outlive it.
  StripeWriter(const std::vector<ShardOutput>& outputs, const layout::Striping& striping);

  /// Writes the chunks of the outputs from `buffer`.
  FileResult<void> write(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer);
  /// Writes the checksum areas.
  FileResult<void> finish(std::uint64_t stripe);

  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_written_; }

 private:
  /// Writes bytes that adjoin in the chunk from `offset` on; the output is the one at `place` in outputs_.
  FileResult<void> write_extent(std::size_t place, std::uint64_t stripe, std::size_t offset,
                                std::span<const std::uint8_t> bytes);

  const std::vector<ShardOutput>* outputs_;
  const layout::Striping* striping_;
  std::vector<std::vector<std::uint8_t>> areas_;  // By place in outputs_.
  std::uint64_t bytes_written_ = 0;
};

}  // namespace parapet::shard

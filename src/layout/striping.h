// Where the bytes of a file lie in the shards of its set. Pure arithmetic; docs/formats/shard.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "layout/shard_header.h"

namespace parapet::layout {

/// Bytes [file_offset, file_offset + length) of the file lie in `chunk` from `chunk_offset` on.
struct FileRange {
  std::uint64_t file_offset = 0;
  unsigned chunk = 0;
  std::size_t chunk_offset = 0;
  std::size_t length = 0;
  friend bool operator==(const FileRange&, const FileRange&) = default;
};

/// The geometry of one set. Immutable; any number of threads may use it.
class Striping {
 public:
  /// `header` must be one that `decode_header` or `encode_header` accepts; its index does not matter.
  explicit Striping(const ShardHeader& header);

  [[nodiscard]] std::uint64_t stripe_count() const { return stripe_count_; }
  [[nodiscard]] std::size_t chunk_size(std::uint64_t stripe) const;
  /// Bytes of the checksum area that follows the chunk.
  [[nodiscard]] std::size_t area_size(std::uint64_t stripe) const;
  /// Where in a shard file the stripe's chunk begins.
  [[nodiscard]] std::uint64_t chunk_offset(std::uint64_t stripe) const;
  [[nodiscard]] std::uint64_t area_offset(std::uint64_t stripe) const;
  /// Where the stripe's part of a shard file ends.
  [[nodiscard]] std::uint64_t stripe_end(std::uint64_t stripe) const;
  /// The size of every shard file of the set.
  [[nodiscard]] std::uint64_t shard_size() const;

  /// Bytes of all data chunks: the file and its padding.
  [[nodiscard]] std::uint64_t padded_length() const;

  /// Appends the parts of the file that lie in [offset, offset + length) of a data chunk, in ascending order.
  /// Positions that get none are padding, which is zero.
  void append_file_ranges(std::uint64_t stripe, unsigned chunk, std::size_t offset, std::size_t length,
                          std::vector<FileRange>& ranges) const;

 private:
  std::uint64_t file_length_;
  unsigned k_;
  std::size_t unit_size_;
  std::size_t full_chunk_size_;
  std::size_t last_chunk_size_ = 0;
  std::uint64_t stripe_count_;
};

/// Bytes of the checksum area of a chunk: a checksum per block and one of the area, in whole blocks.
std::size_t checksum_area_size(std::size_t chunk_size);

}  // namespace parapet::layout

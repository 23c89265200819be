// What is folded into a chunk's home, and the checksums of its blocks. It lies behind the chunk.
// The offset table is in docs/formats/device.md; change both together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/ids.h"
#include "parapet/result.h"

namespace parapet::layout {

/// The shape of a tag, which follows from the slot and the code. A data chunk has one chain, its own; a parity chunk
/// has the chains of all k data chunks, and keeps the checksums of their blocks behind those of its own.
struct TagShape {
  std::uint32_t chain_count = 0;
  std::uint32_t block_count = 0;     ///< Blocks of the chunk.
  std::uint32_t checksum_count = 0;  ///< Its own blocks' and, in a parity chunk, those of all data blocks.
  friend bool operator==(const TagShape&, const TagShape&) = default;
};

TagShape data_tag_shape(std::uint32_t block_count);
TagShape parity_tag_shape(std::uint32_t k, std::uint32_t block_count);

/// A block that was never written has checksum 0 and reads as zeros, whatever lies in its place.
inline constexpr std::uint32_t checksum_unwritten = 0;

struct ChunkTag {
  SegmentId segment;
  std::uint32_t chunk = 0;
  std::vector<UpdateId> home;      ///< Per chain: the last update that the home has.
  std::vector<UpdateId> reserved;  ///< Per chain: the last that home and reserve together have; at least `home`.
  std::uint32_t reserve_used = 0;  ///< Bytes of reserve records: whole blocks.
  std::vector<std::uint32_t> checksums;

  ChunkTag() = default;
  /// Nothing was written yet.
  ChunkTag(SegmentId of_segment, std::uint32_t of_chunk, const TagShape& shape)
      : segment(of_segment),
        chunk(of_chunk),
        home(shape.chain_count),
        reserved(shape.chain_count),
        checksums(shape.checksum_count) {}
  friend bool operator==(const ChunkTag&, const ChunkTag&) = default;
};

/// Bytes of a tag: whole blocks.
std::size_t tag_size(const TagShape& shape);

/// `bytes` must be tag_size.
void encode_tag(const ChunkTag& tag, const TagShape& shape, std::span<std::uint8_t> bytes);

/// Accepts exactly what `encode_tag` makes; `bytes` must be tag_size. Errors: `corrupt`, also when it is the tag of
/// another chunk.
Result<ChunkTag> decode_tag(SegmentId segment, std::uint32_t chunk, const TagShape& shape,
                            std::span<const std::uint8_t> bytes);

/// The checksum of a block of a segment. It covers the place, so that a good block in a wrong place does not pass, and
/// is never `checksum_unwritten`.
std::uint32_t chunk_block_checksum(SegmentId segment, std::uint32_t chunk, std::uint32_t block,
                                   const std::uint8_t* bytes);

}  // namespace parapet::layout

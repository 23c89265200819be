// The first block of a shard file: what the shard is and how to read it without anything else.
// The offset table is in docs/formats/shard.md; change both together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "layout/set_id.h"
#include "parapet/error.h"
#include "parapet/result.h"

namespace parapet::layout {

inline constexpr std::uint32_t shard_format_version = 1;
inline constexpr std::size_t header_size = 4096;
inline constexpr std::uint32_t block_size = 4096;
inline constexpr std::uint32_t chunk_size_max = 1u << 30;
inline constexpr std::uint64_t file_length_max = std::uint64_t{1} << 60;
inline constexpr std::size_t code_text_size_max = 128;

using HeaderBlock = std::array<std::uint8_t, header_size>;

struct ShardHeader {
  SetId set_id;
  std::uint32_t k = 0;
  std::uint32_t m = 0;
  std::uint32_t index = 0;         ///< Which chunk of every stripe this shard holds, 0..k+m-1.
  std::uint32_t alpha = 0;         ///< Sub-chunks per chunk.
  std::uint32_t granule_size = 0;  ///< Bytes of a row in one chunk: whole blocks. Every chunk is a multiple of it.
  std::uint32_t chunk_size = 0;    ///< Of all stripes but the last, which may be smaller.
  std::uint32_t unit_size = 0;     ///< The file goes round the data chunks in units of it.
  std::uint64_t file_length = 0;   ///< Of the coded file, without padding.
  std::string code;                ///< Canonical text of the code.

  friend bool operator==(const ShardHeader&, const ShardHeader&) = default;
};

/// Whether `bytes` begin with the magic of a shard file.
bool has_shard_magic(std::span<const std::uint8_t> bytes);

/// Errors: `invalid_argument` naming the field that is out of bounds.
Result<HeaderBlock> encode_header(const ShardHeader& header);

/// Accepts exactly what `encode_header` makes; bytes after the first block are ignored.
/// Errors: `corrupt` when it is no intact header; `unsupported` for another format version.
Result<ShardHeader> decode_header(std::span<const std::uint8_t> bytes);

}  // namespace parapet::layout

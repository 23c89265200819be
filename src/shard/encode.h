// Makes a shard set from a file.
#pragma once

#include <cstdint>
#include <string>

#include "layout/shard_header.h"
#include "parapet/codec.h"
#include "shard/progress.h"
#include "shard/temporary.h"
#include "shard/workers.h"

namespace parapet::shard {

inline constexpr std::uint32_t default_unit_size = 64 << 10;

struct EncodeOptions {
  std::uint64_t chunk_size = 0;  ///< 0 for the code's default.
  Replace replace = Replace::no;
  unsigned worker_count = default_worker_count();
};

struct EncodeReport {
  layout::ShardHeader header;  ///< Of shard 0.
  std::uint64_t shard_size = 0;
  std::uint64_t stripe_count = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

/// Codes the regular file `file` into new shards in the directory `directory`, which appears whole or not at all.
/// Errors: `already_exists` when `directory` holds something and is not to be replaced, or something that is no shard;
/// `invalid_argument` for a chunk size that does not fit the code; what the operating system says.
FileResult<EncodeReport> encode_file(const std::string& file, const Code& code, const std::string& directory,
                                     const EncodeOptions& options, Progress& progress);

}  // namespace parapet::shard

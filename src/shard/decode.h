// Makes the file again from its shard set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/shard_header.h"
#include "shard/finding.h"
#include "shard/progress.h"
#include "shard/temporary.h"
#include "shard/workers.h"

namespace parapet::shard {

struct DecodeOptions {
  Replace replace = Replace::no;
  unsigned worker_count = default_worker_count();
};

struct DecodeReport {
  layout::ShardHeader header;  ///< Of shard 0.
  std::vector<Finding> findings;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

/// Writes the file of the set in `directory` to `file`, which appears whole or not at all. Reads the data shards, and
/// parity only where it is needed. Every byte has passed a checksum or comes from bytes that have.
/// Errors: `too_many_losses`; `already_exists`; `invalid_argument` for a file inside `directory`; those of opening.
FileResult<DecodeReport> decode_set(const std::string& directory, const std::string& file, const DecodeOptions& options,
                                    Progress& progress);

}  // namespace parapet::shard

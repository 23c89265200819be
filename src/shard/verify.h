// Reads a whole shard set and says what is wrong with it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/shard_header.h"
#include "shard/finding.h"
#include "shard/progress.h"
#include "shard/workers.h"

namespace parapet::shard {

struct VerifyReport {
  layout::ShardHeader header;  ///< Of shard 0.
  std::vector<Finding> findings;
  std::uint64_t bytes_read = 0;
  std::uint64_t block_rows_lost = 0;  ///< Rows (layout/rows.h) that no repair can bring back.
};

/// Checks every checksum, and that parity fits the data wherever all shards are good. Changes nothing.
/// Errors: those of opening; `interrupted`. Damage is no error.
FileResult<VerifyReport> verify_set(const std::string& directory, unsigned worker_count, Progress& progress);

}  // namespace parapet::shard

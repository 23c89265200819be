// Makes a damaged shard set whole again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/shard_header.h"
#include "parapet/chunk_set.h"
#include "shard/finding.h"
#include "shard/progress.h"
#include "shard/stripe_reader.h"
#include "shard/workers.h"

namespace parapet::shard {

struct RepairOptions {
  /// `all` looks for rot in every shard; `needed` rebuilds only shards that are missing, cut or have no readable
  /// header, and reads no more than the code's cheapest plan needs for that.
  Reading reading = Reading::all;
  unsigned worker_count = default_worker_count();
};

struct RepairReport {
  layout::ShardHeader header;     ///< Of shard 0.
  std::vector<Finding> findings;  ///< As found before the repair.
  ChunkSet rebuilt;               ///< Shards written anew.
  ChunkSet renamed;               ///< Shards given their right names.
  std::uint64_t data_bytes = 0;   ///< Of all data chunks of the set: what bytes_read can be compared with.
  std::uint64_t bytes_read = 0;   ///< Blocks and checksum areas.
  std::uint64_t bytes_written = 0;
};

/// Rebuilds lost and rotten shards beside their places, and puts them there when all are complete. Good shards,
/// duplicates and foreign files are never written; misnamed shards are renamed, where need be by exchange. When another
/// file has the name of a rebuilt shard, the shard gets a name of its own: "shard-003.1.parapet".
/// Errors: `too_many_losses`, nothing being changed then; those of opening; what the operating system says.
FileResult<RepairReport> repair_set(const std::string& directory, const RepairOptions& options, Progress& progress);

}  // namespace parapet::shard

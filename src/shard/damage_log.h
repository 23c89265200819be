// The damage that workers meet while they read.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "shard/shard_set.h"

namespace parapet::shard {

/// Any number of threads may add to it at once. Its size depends on the number of shards only.
class DamageLog {
 public:
  /// One block of a shard fails its checksum or cannot be read.
  void add_block(unsigned index, std::uint64_t stripe, std::uint32_t block);
  /// The checksum area of a stripe is not as written.
  void add_area(unsigned index, std::uint64_t stripe);
  /// Parity chunk `index` does not fit the data of `stripe`, though all of it passes its checksums.
  void add_mismatch(unsigned index, std::uint64_t stripe);

  /// The shards with bad blocks or areas.
  [[nodiscard]] ChunkSet rotten() const;
  /// One finding per shard and kind.
  [[nodiscard]] std::vector<Finding> findings(const ShardSet& set) const;

 private:
  using Place = std::pair<std::uint64_t, std::uint32_t>;  // Stripe, block.
  struct Tally {
    std::uint64_t count = 0;
    Place first{UINT64_MAX, 0};
    void add(Place place) {
      ++count;
      if (place < first) first = place;
    }
  };
  struct Damage {
    Tally blocks;
    Tally areas;
    Tally mismatches;
  };
  void add(unsigned index, Tally Damage::*kind, Place place);

  mutable std::mutex mutex_;
  std::map<unsigned, Damage> damages_;
};

}  // namespace parapet::shard

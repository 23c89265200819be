// The checksums of a shard's blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "layout/set_id.h"

namespace parapet::layout {

/// Computes and checks the checksums of one shard. A checksum covers the block's place (set, shard, stripe, block) as
/// well as its bytes, so that a good block in a wrong place does not pass. Immutable; any number of threads may use it.
class BlockChecksums {
 public:
  BlockChecksums(const SetId& set_id, std::uint32_t shard);

  /// Of `block_size` bytes at `block`.
  [[nodiscard]] std::uint32_t of(std::uint64_t stripe, std::uint32_t block, const std::uint8_t* bytes) const;

  /// Completes a checksum area whose entries are set: zeros behind them, then the area's own checksum.
  void seal_area(std::uint64_t stripe, std::size_t block_count, std::span<std::uint8_t> area) const;
  [[nodiscard]] bool area_intact(std::uint64_t stripe, std::span<const std::uint8_t> area) const;

 private:
  [[nodiscard]] std::uint32_t seed(std::uint64_t stripe, std::uint32_t block) const;
  std::uint32_t shard_seed_;
};

/// The entry of a block in a checksum area. `area` must reach that far.
std::uint32_t area_entry(std::span<const std::uint8_t> area, std::size_t block);
void set_area_entry(std::span<std::uint8_t> area, std::size_t block, std::uint32_t checksum);

}  // namespace parapet::layout

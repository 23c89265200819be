#include "layout/block_checksum.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

constexpr std::uint32_t area_block = 0xffffffff;  // The block number under which an area's own checksum is made.
constexpr std::size_t entry_size = sizeof(std::uint32_t);

}  // namespace

BlockChecksums::BlockChecksums(const SetId& set_id, std::uint32_t shard)
    : shard_seed_(base::crc32c(base::crc32c(0, set_id.bytes.data(), set_id.bytes.size()), &shard, sizeof shard)) {}

std::uint32_t BlockChecksums::seed(std::uint64_t stripe, std::uint32_t block) const {
  std::array<std::uint8_t, 12> place;
  std::memcpy(place.data(), &stripe, 8);
  std::memcpy(place.data() + 8, &block, 4);
  return base::crc32c(shard_seed_, place.data(), place.size());
}

std::uint32_t BlockChecksums::of(std::uint64_t stripe, std::uint32_t block, const std::uint8_t* bytes) const {
  return base::crc32c(seed(stripe, block), bytes, block_size);
}

void BlockChecksums::seal_area(std::uint64_t stripe, std::size_t block_count, std::span<std::uint8_t> area) const {
  const std::size_t used = block_count * entry_size;
  PARAPET_ASSERT(used + entry_size <= area.size());
  std::fill(area.begin() + static_cast<std::ptrdiff_t>(used), area.end(), std::uint8_t{0});
  const std::size_t covered = area.size() - entry_size;
  const std::uint32_t own = base::crc32c(seed(stripe, area_block), area.data(), covered);
  std::memcpy(area.data() + covered, &own, entry_size);
}

bool BlockChecksums::area_intact(std::uint64_t stripe, std::span<const std::uint8_t> area) const {
  PARAPET_ASSERT(area.size() >= entry_size);
  const std::size_t covered = area.size() - entry_size;
  std::uint32_t own;
  std::memcpy(&own, area.data() + covered, entry_size);
  return own == base::crc32c(seed(stripe, area_block), area.data(), covered);
}

std::uint32_t area_entry(std::span<const std::uint8_t> area, std::size_t block) {
  PARAPET_ASSERT((block + 1) * entry_size <= area.size());
  std::uint32_t checksum;
  std::memcpy(&checksum, area.data() + block * entry_size, entry_size);
  return checksum;
}

void set_area_entry(std::span<std::uint8_t> area, std::size_t block, std::uint32_t checksum) {
  PARAPET_ASSERT((block + 1) * entry_size <= area.size());
  std::memcpy(area.data() + block * entry_size, &checksum, entry_size);
}

}  // namespace parapet::layout

// The small values that name things on devices.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

#include "layout/set_id.h"
#include "parapet/chunk_set.h"

namespace parapet::layout {

/// Most chunks in a segment and most devices in a pool: sets of them fit the fixed fields of the formats.
inline constexpr unsigned holder_count_max = 64;
inline constexpr unsigned device_count_max = 128;

/// A segment. Ids are never used twice in a pool.
struct SegmentId {
  std::uint64_t value = 0;
  friend auto operator<=>(const SegmentId&, const SegmentId&) = default;
};

/// An update of a chain: the ballot of the opening that made it, and a counter. Later updates of a chain are greater;
/// {} comes before all.
struct UpdateId {
  std::uint32_t ballot = 0;
  std::uint64_t counter = 0;
  friend auto operator<=>(const UpdateId&, const UpdateId&) = default;
};

/// The version of a device configuration or of a segment's members: the ballot of the opening, and a step within it.
struct Version {
  std::uint32_t ballot = 0;
  std::uint32_t step = 0;
  friend auto operator<=>(const Version&, const Version&) = default;
};

/// A position in a device's log: bytes appended since the device was made. Never repeats when the log wraps.
using Lsn = std::uint64_t;

/// Chunk indices of a segment, and with them the devices that hold those chunks of it.
using HolderSet = ChunkSet;
/// Ordinals of a pool's devices.
using DeviceSet = ChunkSet;

inline std::uint64_t holder_word(const HolderSet& holders) { return holders.words()[0]; }

inline ChunkSet set_of_words(std::uint64_t low, std::uint64_t high = 0) {
  ChunkSet set;
  for (; low != 0; low &= low - 1) set.insert(static_cast<unsigned>(std::countr_zero(low)));
  for (; high != 0; high &= high - 1) set.insert(64 + static_cast<unsigned>(std::countr_zero(high)));
  return set;
}

/// Pools and devices are named as shard sets are: by 16 random bytes.
using PoolId = SetId;
using DeviceId = SetId;

}  // namespace parapet::layout

// The first blocks of a device: whose it is, how it is divided, what it promised, and where its log begins.
// The offset table is in docs/formats/device.md; change both together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/ids.h"
#include "parapet/result.h"

namespace parapet::layout {

inline constexpr std::uint32_t device_format_version = 1;
inline constexpr std::size_t superblock_size = 4096;
/// Copies of a superblock. The even sequence numbers go to the first two, the odd ones to the others: while one pair is
/// being written the other one holds, and rot of one block leaves its twin.
inline constexpr std::size_t superblock_copy_count = 4;
inline constexpr std::size_t superblock_area_size = superblock_copy_count * superblock_size;

/// Space is given out in units.
inline constexpr std::size_t unit_size = 64 * 1024;
/// Units are counted in 32 bits.
inline constexpr std::uint64_t device_size_max = unit_size * (std::uint64_t{1} << 32);

/// The order in which a device's bytes are divided; all sizes are multiples of a block, the space begins at a multiple
/// of a unit.
struct DeviceGeometry {
  std::uint64_t device_size = 0;
  std::uint64_t log_offset = 0;
  std::uint64_t log_size = 0;
  std::uint64_t table_offset = 0;
  std::uint32_t table_page_count = 0;
  std::uint64_t space_offset = 0;
  std::uint32_t unit_count = 0;
  friend bool operator==(const DeviceGeometry&, const DeviceGeometry&) = default;
};

/// Which devices may be counted on. The newest one that any present device has is the pool's.
struct DeviceConfiguration {
  Version version;
  DeviceSet in;
  friend bool operator==(const DeviceConfiguration&, const DeviceConfiguration&) = default;
};

struct Superblock {
  std::uint64_t sequence = 0;
  PoolId pool;
  std::uint32_t ordinal = 0;      ///< Which of `devices` this one is.
  std::vector<DeviceId> devices;  ///< All devices of the pool.
  DeviceGeometry geometry;
  std::uint32_t ballot = 0;  ///< The largest that this device has taken part in.
  DeviceConfiguration configuration;
  Lsn log_head = 0;              ///< Where a record begins; those before it are not needed any more.
  Lsn log_flushed = 0;           ///< The log was durable up to here: if it ends earlier it is damaged.
  std::uint32_t log_ballot = 0;  ///< Of the last record before `log_head`: what follows is no older.
  std::uint8_t scheme = 0;       ///< The pool's update scheme.
  std::uint32_t chunk_size = 0;  ///< Of new segments.
  std::string code;              ///< Of new segments: canonical text.
  friend bool operator==(const Superblock&, const Superblock&) = default;
};

using SuperblockBytes = std::array<std::uint8_t, superblock_size>;

/// Requires fields within their bounds (asserted): they come from the pool itself.
SuperblockBytes encode_superblock(const Superblock& superblock);

/// Accepts exactly what `encode_superblock` makes. Errors: `not_found` when it does not begin like one, `corrupt`,
/// `unsupported` for another format version.
Result<Superblock> decode_superblock(std::span<const std::uint8_t> bytes);

/// The newest intact copy of an area of `superblock_area_size` bytes. Errors: `unsupported` when any copy is of another
/// format version, since it may be the newest; when none is intact, that of the first copy that begins like one.
Result<Superblock> newest_superblock(std::span<const std::uint8_t> area);

/// Byte offsets of the two copies that superblock `sequence` is written to.
std::array<std::uint64_t, 2> superblock_offsets(std::uint64_t sequence);

/// Divides a device. Errors: `invalid_argument` when it is too small for its log and three chunks, or too large.
Result<DeviceGeometry> plan_geometry(std::uint64_t device_size, std::uint64_t log_size, std::uint32_t chunk_size);

}  // namespace parapet::layout

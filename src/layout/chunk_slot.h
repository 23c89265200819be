// The chunk table: what a device holds, a slot for each chunk. It is the only truth about placement.
// The offset table is in docs/formats/device.md; change both together.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "layout/ids.h"
#include "parapet/result.h"

namespace parapet::layout {

inline constexpr std::size_t table_page_size = 4096;
inline constexpr std::size_t slots_per_page = 15;
inline constexpr std::size_t slot_code_text_size_max = 88;
inline constexpr std::size_t reserve_extent_count_max = 4;

/// Contiguous units of a device's space.
struct Extent {
  std::uint32_t first_unit = 0;
  std::uint32_t unit_count = 0;
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Creation and deletion take two steps, so that a crash between the devices can be told from damage: nothing exists
/// before all holders are `creating`, and nothing is taken apart before all are `dropping`.
enum class SlotState : std::uint8_t { free, creating, live, dropping };

/// The holders that count for a segment, since when.
struct Members {
  Version version;
  HolderSet holders;
  friend bool operator==(const Members&, const Members&) = default;
};

struct ChunkSlot {
  SlotState state = SlotState::free;
  SegmentId segment;
  std::uint32_t chunk = 0;  ///< Which chunk of the segment this device holds.
  std::uint32_t chunk_size = 0;
  std::string code;                   ///< Canonical text.
  std::vector<std::uint8_t> devices;  ///< The ordinals of the devices of chunks 0..n-1.
  Extent home;                        ///< The chunk, its tag, and the first part of its reserve.
  std::vector<Extent> reserve;        ///< Further parts of it.
  Members members;
  HolderSet missed;  ///< Holders that lack an update whose record may be gone.
  friend bool operator==(const ChunkSlot&, const ChunkSlot&) = default;
};

using TablePage = std::array<std::uint8_t, table_page_size>;

/// A page of the table. `page_index` is its place, which its checksum covers. Requires slots within bounds (asserted).
TablePage encode_table_page(std::uint32_t page_index, std::span<const ChunkSlot, slots_per_page> slots);

/// Accepts exactly what `encode_table_page` makes for that place, and a page that was never written: all zeros, it is a
/// page of free slots. Whether extents lie within the device and apart from each other is the caller's to check.
/// Errors: `corrupt`.
Result<std::vector<ChunkSlot>> decode_table_page(std::uint32_t page_index, std::span<const std::uint8_t> bytes);

}  // namespace parapet::layout

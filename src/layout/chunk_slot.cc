#include "layout/chunk_slot.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/shard_header.h"
#include "layout/superblock.h"

namespace parapet::layout {
namespace {

/// A slot as it lies on disk.
struct WireSlot {
  std::uint64_t segment;
  std::uint64_t members;
  std::uint64_t missed;
  std::uint32_t members_ballot;
  std::uint32_t members_step;
  std::uint32_t chunk_size;
  std::uint8_t state;
  std::uint8_t chunk;
  std::uint8_t holder_count;
  std::uint8_t reserve_count;
  Extent home;
  std::array<Extent, reserve_extent_count_max> reserve;
  std::array<char, slot_code_text_size_max> code;
  std::array<std::uint8_t, holder_count_max> devices;
  std::array<std::uint8_t, 24> reserved;
};
static_assert(offsetof(WireSlot, members_ballot) == 24);
static_assert(offsetof(WireSlot, state) == 36);
static_assert(offsetof(WireSlot, home) == 40);
static_assert(offsetof(WireSlot, code) == 80);
static_assert(offsetof(WireSlot, devices) == 168);
static_assert(sizeof(WireSlot) == 256 && std::has_unique_object_representations_v<WireSlot>);

/// A page of them.
struct WirePage {
  std::array<WireSlot, slots_per_page> slots;
  std::array<std::uint8_t, 240> reserved;
  std::uint32_t magic;
  std::uint32_t page_index;
  std::uint32_t padding;
  std::uint32_t crc;
};
static_assert(offsetof(WirePage, magic) == 4080 && offsetof(WirePage, crc) == 4092);
static_assert(sizeof(WirePage) == table_page_size && std::has_unique_object_representations_v<WirePage>);

constexpr std::uint32_t page_magic = 0x4c425450;  // "PTBL"

std::uint32_t crc_of(const WirePage& page) { return base::crc32c(0, &page, offsetof(WirePage, crc)); }

bool within_bounds(const Extent& extent) {
  return extent.unit_count != 0 && extent.unit_count <= std::numeric_limits<std::uint32_t>::max() - extent.first_unit;
}

/// Whether the ordinals are of devices that may be, each once.
bool within_bounds(const std::vector<std::uint8_t>& devices) {
  DeviceSet different;
  for (const unsigned device : devices) different.insert(device);
  return different.count() == devices.size() && (different - DeviceSet::range(0, device_count_max)).empty();
}

/// The rule that the slot breaks, or null.
const char* broken_rule(const ChunkSlot& s) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
  const std::size_t n = s.devices.size();
  if (s.state == SlotState::free) return s == ChunkSlot{} ? nullptr : "a free slot is not empty";
  if (s.state > SlotState::dropping) return "the slot's state is not known";
  if (n == 0 || n > holder_count_max || s.chunk >= n) return "the holders are out of bounds";
  const HolderSet all = HolderSet::range(0, static_cast<unsigned>(n));
  if ((s.members.holders | s.missed) - all != HolderSet{}) return "a set names a holder that is not there";
  if (s.chunk_size == 0 || s.chunk_size % block_size != 0 || s.chunk_size > chunk_size_max)
    return "the chunk size is out of bounds";
  if (s.code.empty() || s.code.size() > slot_code_text_size_max || !std::ranges::all_of(s.code, printable))
    return "the code's text is not plain";
  if (!within_bounds(s.home) || s.reserve.size() > reserve_extent_count_max ||
      !std::ranges::all_of(s.reserve, [](const Extent& extent) { return within_bounds(extent); }))
    return "the extents are out of bounds";
  if (std::uint64_t{s.home.unit_count} * unit_size < s.chunk_size + std::uint64_t{block_size})
    return "the home is too small for its chunk and tag";
  if (!within_bounds(s.devices)) return "the devices are out of bounds";
  return nullptr;
}

WireSlot wire_of(const ChunkSlot& s) {
  WireSlot wire{};
  wire.segment = s.segment.value;
  wire.members = holder_word(s.members.holders);
  wire.missed = holder_word(s.missed);
  wire.members_ballot = s.members.version.ballot;
  wire.members_step = s.members.version.step;
  wire.chunk_size = s.chunk_size;
  wire.state = static_cast<std::uint8_t>(s.state);
  wire.chunk = static_cast<std::uint8_t>(s.chunk);
  wire.holder_count = static_cast<std::uint8_t>(s.devices.size());
  wire.reserve_count = static_cast<std::uint8_t>(s.reserve.size());
  wire.home = s.home;
  std::ranges::copy(s.reserve, wire.reserve.begin());
  std::ranges::copy(s.code, wire.code.begin());
  std::ranges::copy(s.devices, wire.devices.begin());
  return wire;
}

/// Requires counts within bounds.
ChunkSlot fields_of(const WireSlot& wire) {
  ChunkSlot s;
  s.segment.value = wire.segment;
  s.members = {{wire.members_ballot, wire.members_step}, set_of_words(wire.members)};
  s.missed = set_of_words(wire.missed);
  s.chunk_size = wire.chunk_size;
  s.state = static_cast<SlotState>(wire.state);
  s.chunk = wire.chunk;
  s.home = wire.home;
  s.reserve.assign(wire.reserve.begin(), wire.reserve.begin() + wire.reserve_count);
  s.code.assign(wire.code.begin(), std::find(wire.code.begin(), wire.code.end(), '\0'));
  s.devices.assign(wire.devices.begin(), wire.devices.begin() + wire.holder_count);
  return s;
}

Error corrupt(const char* reason, std::uint64_t page_index) {
  return {.code = ErrorCode::corrupt, .operation = "chunk table", .reason = reason, .values = {page_index}};
}

}  // namespace

TablePage encode_table_page(std::uint32_t page_index, std::span<const ChunkSlot, slots_per_page> slots) {
  WirePage page{};
  for (std::size_t i = 0; i < slots_per_page; ++i) {
    PARAPET_ASSERT(broken_rule(slots[i]) == nullptr);
    page.slots[i] = wire_of(slots[i]);
  }
  page.magic = page_magic;
  page.page_index = page_index;
  page.crc = crc_of(page);
  return std::bit_cast<TablePage>(page);
}

Result<std::vector<ChunkSlot>> decode_table_page(std::uint32_t page_index, std::span<const std::uint8_t> bytes) {
  PARAPET_ASSERT(bytes.size() == table_page_size);
  std::vector<ChunkSlot> slots(slots_per_page);
  if (std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })) return slots;
  WirePage page;
  std::memcpy(&page, bytes.data(), sizeof page);
  if (page.magic != page_magic || page.page_index != page_index || page.crc != crc_of(page))
    return corrupt("page {} fails its checksum", page_index);
  for (std::size_t i = 0; i < slots_per_page; ++i) {
    const WireSlot& wire = page.slots[i];
    if (wire.holder_count > holder_count_max || wire.reserve_count > reserve_extent_count_max)
      return corrupt("page {} has a slot out of bounds", page_index);
    slots[i] = fields_of(wire);
    if (broken_rule(slots[i]) != nullptr) return corrupt("page {} has a slot out of bounds", page_index);
  }
  if (encode_table_page(page_index, std::span<const ChunkSlot, slots_per_page>(slots)) !=
      std::bit_cast<TablePage>(page))
    return corrupt("page {} has a reserved byte set", page_index);
  return slots;
}

}  // namespace parapet::layout

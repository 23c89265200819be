#include "layout/superblock.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/chunk_slot.h"
#include "layout/log_record.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

constexpr std::array<std::uint8_t, 8> magic = {'P', 'A', 'R', 'A', 'D', 'E', 'V', 'C'};

/// A superblock as it lies on disk.
struct Wire {
  std::array<std::uint8_t, 8> magic;
  std::uint32_t version;
  std::uint32_t ordinal;
  std::uint64_t sequence;
  std::array<std::uint8_t, 16> pool;
  std::uint32_t device_count;
  std::uint32_t ballot;
  std::uint64_t device_size;
  std::uint64_t log_offset;
  std::uint64_t log_size;
  std::uint64_t table_offset;
  std::uint64_t space_offset;
  std::uint32_t table_page_count;
  std::uint32_t unit_count;
  std::uint32_t configuration_ballot;
  std::uint32_t configuration_step;
  std::array<std::uint64_t, 2> in;
  std::uint64_t log_head;
  std::uint64_t log_flushed;
  std::uint32_t chunk_size;
  std::uint32_t scheme;
  std::array<char, code_text_size_max> code;
  std::array<std::array<std::uint8_t, 16>, device_count_max> devices;
  std::uint32_t log_ballot;
  std::array<std::uint8_t, 1768> reserved;
  std::uint32_t crc;
};
static_assert(offsetof(Wire, sequence) == 16);
static_assert(offsetof(Wire, device_count) == 40);
static_assert(offsetof(Wire, device_size) == 48);
static_assert(offsetof(Wire, table_page_count) == 88);
static_assert(offsetof(Wire, in) == 104);
static_assert(offsetof(Wire, chunk_size) == 136);
static_assert(offsetof(Wire, code) == 144);
static_assert(offsetof(Wire, devices) == 272);
static_assert(offsetof(Wire, log_ballot) == 2320);
static_assert(offsetof(Wire, crc) == 4092);
static_assert(sizeof(Wire) == superblock_size && std::has_unique_object_representations_v<Wire>);

std::uint32_t crc_of(const Wire& wire) { return base::crc32c(0, &wire, offsetof(Wire, crc)); }

/// The rule that the geometry breaks, or null. Each size is bounded before it is added to another: no sum overflows.
const char* broken_rule(const DeviceGeometry& g) {
  if (g.device_size > device_size_max || g.device_size % block_size != 0) return "the device's size is out of bounds";
  if (g.log_offset != superblock_area_size || g.log_size == 0 || g.log_size > g.device_size ||
      g.log_size % block_size != 0)
    return "the log is out of bounds";
  if (g.table_offset != g.log_offset + g.log_size || g.table_page_count == 0) return "the chunk table is out of bounds";
  if (g.space_offset % unit_size != 0 || g.space_offset > g.device_size ||
      g.space_offset < g.table_offset + std::uint64_t{g.table_page_count} * block_size)
    return "the space is out of bounds";
  if (g.unit_count == 0 || g.space_offset + std::uint64_t{g.unit_count} * unit_size > g.device_size)
    return "the space is out of bounds";
  return nullptr;
}

const char* broken_rule(const Superblock& s) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
  if (s.devices.empty() || s.devices.size() > device_count_max) return "the number of devices is out of bounds";
  if (s.ordinal >= s.devices.size()) return "the device's ordinal is out of bounds";
  if (s.configuration.in != (s.configuration.in & DeviceSet::range(0, static_cast<unsigned>(s.devices.size()))))
    return "the configuration names a device that is not there";
  if (s.log_flushed < s.log_head || s.log_flushed - s.log_head > s.geometry.log_size ||
      s.log_head % record_alignment != 0)
    return "the log's positions are out of bounds";
  if (s.scheme > 3) return "the update scheme is not known";
  if (s.chunk_size == 0 || s.chunk_size % block_size != 0 || s.chunk_size > chunk_size_max)
    return "the chunk size is out of bounds";
  if (s.code.empty() || s.code.size() > code_text_size_max || !std::ranges::all_of(s.code, printable))
    return "the code's text is not plain";
  return broken_rule(s.geometry);
}

Error corrupt(const char* reason) { return {.code = ErrorCode::corrupt, .operation = "superblock", .reason = reason}; }

Wire wire_of(const Superblock& s) {
  Wire wire{};
  wire.magic = magic;
  wire.version = device_format_version;
  wire.ordinal = s.ordinal;
  wire.sequence = s.sequence;
  wire.pool = s.pool.bytes;
  wire.device_count = static_cast<std::uint32_t>(s.devices.size());
  wire.ballot = s.ballot;
  wire.device_size = s.geometry.device_size;
  wire.log_offset = s.geometry.log_offset;
  wire.log_size = s.geometry.log_size;
  wire.table_offset = s.geometry.table_offset;
  wire.space_offset = s.geometry.space_offset;
  wire.table_page_count = s.geometry.table_page_count;
  wire.unit_count = s.geometry.unit_count;
  wire.configuration_ballot = s.configuration.version.ballot;
  wire.configuration_step = s.configuration.version.step;
  wire.in = {s.configuration.in.words()[0], s.configuration.in.words()[1]};
  wire.log_head = s.log_head;
  wire.log_flushed = s.log_flushed;
  wire.log_ballot = s.log_ballot;
  wire.chunk_size = s.chunk_size;
  wire.scheme = s.scheme;
  std::ranges::copy(s.code, wire.code.begin());
  for (std::size_t i = 0; i < s.devices.size(); ++i) wire.devices[i] = s.devices[i].bytes;
  wire.crc = crc_of(wire);
  return wire;
}

Superblock fields_of(const Wire& wire) {
  Superblock s;
  s.sequence = wire.sequence;
  s.pool.bytes = wire.pool;
  s.ordinal = wire.ordinal;
  for (std::uint32_t i = 0; i < wire.device_count; ++i) s.devices.push_back({wire.devices[i]});
  s.geometry = {wire.device_size,      wire.log_offset,   wire.log_size,  wire.table_offset,
                wire.table_page_count, wire.space_offset, wire.unit_count};
  s.ballot = wire.ballot;
  s.configuration.version = {wire.configuration_ballot, wire.configuration_step};
  s.configuration.in = set_of_words(wire.in[0], wire.in[1]);
  s.log_head = wire.log_head;
  s.log_flushed = wire.log_flushed;
  s.log_ballot = wire.log_ballot;
  s.scheme = static_cast<std::uint8_t>(std::min<std::uint32_t>(wire.scheme, 255));
  s.chunk_size = wire.chunk_size;
  s.code.assign(wire.code.begin(), std::find(wire.code.begin(), wire.code.end(), '\0'));
  return s;
}

}  // namespace

SuperblockBytes encode_superblock(const Superblock& superblock) {
  PARAPET_ASSERT(broken_rule(superblock) == nullptr);
  return std::bit_cast<SuperblockBytes>(wire_of(superblock));
}

Result<Superblock> decode_superblock(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < superblock_size || !std::equal(magic.begin(), magic.end(), bytes.begin()))
    return Error{.code = ErrorCode::not_found, .operation = "superblock", .reason = "it is not a Parapet device"};
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.crc != crc_of(wire)) return corrupt("its checksum is wrong");
  if (wire.version != device_format_version)
    return Error{.code = ErrorCode::unsupported,
                 .operation = "superblock",
                 .reason = "format version {} is not known, only {} is",
                 .values = {wire.version, device_format_version}};
  if (wire.device_count > device_count_max) return corrupt("the number of devices is out of bounds");
  Superblock superblock = fields_of(wire);
  if (const char* rule = broken_rule(superblock)) return corrupt(rule);
  if (std::memcmp(bytes.data(), encode_superblock(superblock).data(), superblock_size) != 0)
    return corrupt("a constant or reserved byte differs");
  return superblock;
}

Result<Superblock> newest_superblock(std::span<const std::uint8_t> area) {
  PARAPET_ASSERT(area.size() >= superblock_area_size);
  std::optional<Superblock> newest;
  std::optional<Error> first_error;
  for (std::size_t copy = 0; copy < superblock_copy_count; ++copy) {
    auto superblock = decode_superblock(area.subspan(copy * superblock_size, superblock_size));
    if (!superblock) {
      if (superblock.error().code == ErrorCode::unsupported) return superblock.error();
      if (!first_error || first_error->code == ErrorCode::not_found) first_error = superblock.error();
    } else if (!newest || superblock->sequence > newest->sequence) {
      newest = std::move(*superblock);
    }
  }
  if (newest) return std::move(*newest);
  return *first_error;
}

std::array<std::uint64_t, 2> superblock_offsets(std::uint64_t sequence) {
  const std::uint64_t first = sequence % 2 * 2 * superblock_size;
  return {first, first + superblock_size};
}

Result<DeviceGeometry> plan_geometry(std::uint64_t device_size, std::uint64_t log_size, std::uint32_t chunk_size) {
  PARAPET_ASSERT(log_size > 0 && log_size % block_size == 0 && chunk_size > 0);
  if (device_size > device_size_max || log_size > device_size_max)
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "device",
                 .reason = "{} bytes with a log of {} are too many: give at most {}",
                 .values = {device_size, log_size, device_size_max}};
  DeviceGeometry g;
  g.device_size = device_size / block_size * block_size;
  g.log_offset = superblock_area_size;
  g.log_size = log_size;
  g.table_offset = g.log_offset + g.log_size;
  // A slot for every chunk that fits, and half as many again for smaller ones. None takes less than a unit.
  const std::uint64_t home_size = std::max<std::uint64_t>(chunk_size, unit_size);
  const std::uint64_t slot_count = device_size / home_size * 3 / 2 + slots_per_page;
  g.table_page_count = static_cast<std::uint32_t>((slot_count + slots_per_page - 1) / slots_per_page);
  const std::uint64_t table_end = g.table_offset + std::uint64_t{g.table_page_count} * block_size;
  g.space_offset = (table_end + unit_size - 1) / unit_size * unit_size;
  if (g.device_size < g.space_offset + 3 * (std::uint64_t{chunk_size} + unit_size))
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "device",
                 .reason = "{} bytes are too few for a log of {} and three chunks of {}",
                 .values = {device_size, log_size, chunk_size}};
  g.unit_count = static_cast<std::uint32_t>((g.device_size - g.space_offset) / unit_size);
  return g;
}

}  // namespace parapet::layout

#include "layout/shard_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "base/crc32c.h"
#include "base/try.h"

namespace parapet::layout {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian and is copied as it lies");

constexpr std::array<std::uint8_t, 8> magic = {'P', 'A', 'R', 'A', 'S', 'H', 'R', 'D'};

/// The header as it lies on disk.
struct Wire {
  std::array<std::uint8_t, 8> magic;
  std::uint32_t version;
  std::uint32_t header_size;
  std::array<std::uint8_t, 16> set_id;
  std::uint32_t k;
  std::uint32_t m;
  std::uint32_t index;
  std::uint32_t alpha;
  std::uint32_t block_size;
  std::uint32_t granule_size;
  std::uint32_t chunk_size;
  std::uint32_t unit_size;
  std::uint64_t file_length;
  std::array<char, code_text_size_max> code;
  std::array<std::uint8_t, 3892> reserved;
  std::uint32_t crc;
};
static_assert(offsetof(Wire, version) == 8);
static_assert(offsetof(Wire, header_size) == 12);
static_assert(offsetof(Wire, set_id) == 16);
static_assert(offsetof(Wire, k) == 32);
static_assert(offsetof(Wire, m) == 36);
static_assert(offsetof(Wire, index) == 40);
static_assert(offsetof(Wire, alpha) == 44);
static_assert(offsetof(Wire, block_size) == 48);
static_assert(offsetof(Wire, granule_size) == 52);
static_assert(offsetof(Wire, chunk_size) == 56);
static_assert(offsetof(Wire, unit_size) == 60);
static_assert(offsetof(Wire, file_length) == 64);
static_assert(offsetof(Wire, code) == 72);
static_assert(offsetof(Wire, reserved) == 200);
static_assert(offsetof(Wire, crc) == 4092);
static_assert(sizeof(Wire) == header_size && std::has_unique_object_representations_v<Wire>);

std::uint32_t header_crc(const Wire& wire) { return base::crc32c(0, &wire, offsetof(Wire, crc)); }

constexpr bool is_multiple(std::uint64_t value, std::uint64_t of) { return value != 0 && value % of == 0; }

/// The rule that the header breaks, or null.
const char* broken_rule(const ShardHeader& h) {
  const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
  if (h.k == 0 || h.m == 0 || h.k > 255 || h.m > 255 || h.k + h.m > 256) return "k and m are out of bounds";
  if (h.index >= h.k + h.m) return "the shard's index is out of bounds";
  if (h.alpha == 0 || h.alpha > chunk_size_max / block_size) return "alpha is out of bounds";
  if (!is_multiple(h.granule_size, block_size)) return "the granule is no multiple of a block";
  if (!is_multiple(h.chunk_size, h.granule_size)) return "the chunk size is no multiple of the granule";
  if (h.chunk_size > chunk_size_max) return "the chunk size is above 1 GiB";
  if (!is_multiple(h.unit_size, block_size) || h.unit_size > chunk_size_max) return "the unit size is out of bounds";
  if (h.file_length > file_length_max) return "the file length is above 2^60";
  if (h.code.empty() || h.code.size() > code_text_size_max) return "the code's text is empty or too long";
  if (!std::ranges::all_of(h.code, printable)) return "the code's text is not plain";
  return nullptr;
}

Error corrupt(const char* reason) {
  return {.code = ErrorCode::corrupt, .operation = "shard header", .reason = reason};
}

ShardHeader fields_of(const Wire& wire) {
  ShardHeader header;
  header.set_id.bytes = wire.set_id;
  header.k = wire.k;
  header.m = wire.m;
  header.index = wire.index;
  header.alpha = wire.alpha;
  header.granule_size = wire.granule_size;
  header.chunk_size = wire.chunk_size;
  header.unit_size = wire.unit_size;
  header.file_length = wire.file_length;
  header.code.assign(wire.code.begin(), std::find(wire.code.begin(), wire.code.end(), '\0'));
  return header;
}

Wire wire_of(const ShardHeader& header) {
  Wire wire{};
  wire.magic = magic;
  wire.version = shard_format_version;
  wire.header_size = header_size;
  wire.set_id = header.set_id.bytes;
  wire.k = header.k;
  wire.m = header.m;
  wire.index = header.index;
  wire.alpha = header.alpha;
  wire.block_size = block_size;
  wire.granule_size = header.granule_size;
  wire.chunk_size = header.chunk_size;
  wire.unit_size = header.unit_size;
  wire.file_length = header.file_length;
  std::ranges::copy(header.code, wire.code.begin());
  wire.crc = header_crc(wire);
  return wire;
}

}  // namespace

bool has_shard_magic(std::span<const std::uint8_t> bytes) {
  return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
}

Result<HeaderBlock> encode_header(const ShardHeader& header) {
  if (const char* rule = broken_rule(header))
    return Error{.code = ErrorCode::invalid_argument, .operation = "shard header", .reason = rule};
  return std::bit_cast<HeaderBlock>(wire_of(header));
}

Result<ShardHeader> decode_header(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < header_size) return corrupt("it is shorter than a header");
  if (!has_shard_magic(bytes)) return corrupt("it does not begin like a shard");
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.crc != header_crc(wire)) return corrupt("its checksum is wrong");
  if (wire.version != shard_format_version)
    return Error{.code = ErrorCode::unsupported,
                 .operation = "shard header",
                 .reason = "format version {} is not known, only {} is",
                 .values = {wire.version, shard_format_version}};
  ShardHeader header = fields_of(wire);
  if (const char* rule = broken_rule(header)) return corrupt(rule);
  // What is left (sizes of header and block, padding, reserved bytes) must be as we write it.
  if (std::memcmp(bytes.data(), std::bit_cast<HeaderBlock>(wire_of(header)).data(), header_size) != 0)
    return corrupt("a constant or reserved byte differs");
  return header;
}

}  // namespace parapet::layout

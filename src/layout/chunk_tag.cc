#include "layout/chunk_tag.h"

#include <algorithm>
#include <array>
#include <functional>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/bytes.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

constexpr std::uint32_t tag_magic = 0x47415450;  // "PTAG"

struct WireHead {
  std::uint32_t magic;
  std::uint32_t crc;  ///< Of everything behind it, to the end of the last block.
  std::uint64_t segment;
  std::uint32_t chunk;
  std::uint32_t chain_count;
  std::uint32_t block_count;
  std::uint32_t checksum_count;
  std::uint32_t reserve_used;
  std::uint32_t reserved[3];
};
static_assert(sizeof(WireHead) == 48);
constexpr std::size_t crc_end = 8;

/// An id as it lies in tags and reserve records.
struct WireId {
  std::uint64_t counter;
  std::uint32_t ballot;
  std::uint32_t reserved;
};
static_assert(sizeof(WireId) == 16);

WireId wire_of(const UpdateId& id) { return {id.counter, id.ballot, 0}; }
UpdateId id_of(const WireId& wire) { return {wire.ballot, wire.counter}; }

/// Whether what the shape leaves open is as it must be.
bool consistent(const ChunkTag& tag) {
  return std::ranges::equal(tag.home, tag.reserved, std::less_equal{}) && tag.reserve_used % block_size == 0;
}

Error corrupt(const char* reason, SegmentId segment, std::uint32_t chunk) {
  return {.code = ErrorCode::corrupt, .operation = "chunk tag", .reason = reason, .values = {segment.value, chunk}};
}

}  // namespace

TagShape data_tag_shape(std::uint32_t block_count) { return {1, block_count, block_count}; }

TagShape parity_tag_shape(std::uint32_t k, std::uint32_t block_count) {
  return {k, block_count, block_count + k * block_count};
}

std::size_t tag_size(const TagShape& shape) {
  const std::size_t size = sizeof(WireHead) + std::size_t{shape.chain_count} * 2 * sizeof(WireId) +
                           std::size_t{shape.checksum_count} * sizeof(std::uint32_t);
  return (size + block_size - 1) / block_size * block_size;
}

void encode_tag(const ChunkTag& tag, const TagShape& shape, std::span<std::uint8_t> bytes) {
  PARAPET_ASSERT(bytes.size() == tag_size(shape));
  PARAPET_ASSERT(tag.home.size() == shape.chain_count && tag.reserved.size() == shape.chain_count);
  PARAPET_ASSERT(tag.checksums.size() == shape.checksum_count && consistent(tag));
  std::ranges::fill(bytes, std::uint8_t{0});
  WireHead head{
      tag_magic,        0, tag.segment.value, tag.chunk, shape.chain_count, shape.block_count, shape.checksum_count,
      tag.reserve_used, {}};
  ByteWriter writer(bytes);
  writer.put(head);
  for (const UpdateId& id : tag.home) writer.put(wire_of(id));
  for (const UpdateId& id : tag.reserved) writer.put(wire_of(id));
  writer.put(tag.checksums.data(), tag.checksums.size() * sizeof(std::uint32_t));
  head.crc = base::crc32c(0, bytes.data() + crc_end, bytes.size() - crc_end);
  ByteWriter(bytes).put(head);
}

Result<ChunkTag> decode_tag(SegmentId segment, std::uint32_t chunk, const TagShape& shape,
                            std::span<const std::uint8_t> bytes) {
  PARAPET_ASSERT(bytes.size() == tag_size(shape));
  ByteReader reader(bytes);
  const auto head = reader.get<WireHead>();
  if (head.magic != tag_magic || head.crc != base::crc32c(0, bytes.data() + crc_end, bytes.size() - crc_end))
    return corrupt("the tag of segment {} chunk {} fails its checksum", segment, chunk);
  if (head.segment != segment.value || head.chunk != chunk)
    return corrupt("in place of the tag of segment {} chunk {} lies another one", segment, chunk);
  if (TagShape{head.chain_count, head.block_count, head.checksum_count} != shape)
    return corrupt("the tag of segment {} chunk {} has another shape", segment, chunk);
  ChunkTag tag(segment, chunk, shape);
  tag.reserve_used = head.reserve_used;
  for (UpdateId& id : tag.home) id = id_of(reader.get<WireId>());
  for (UpdateId& id : tag.reserved) id = id_of(reader.get<WireId>());
  for (std::uint32_t& checksum : tag.checksums) checksum = reader.get<std::uint32_t>();
  if (!consistent(tag)) return corrupt("the tag of segment {} chunk {} contradicts itself", segment, chunk);
  std::vector<std::uint8_t> again(bytes.size());
  encode_tag(tag, shape, again);
  if (!std::ranges::equal(again, bytes))
    return corrupt("the tag of segment {} chunk {} has a reserved byte set", segment, chunk);
  return tag;
}

std::uint32_t chunk_block_checksum(SegmentId segment, std::uint32_t chunk, std::uint32_t block,
                                   const std::uint8_t* bytes) {
  std::array<std::uint8_t, 16> place;
  ByteWriter writer(place);
  writer.put(segment.value);
  writer.put(chunk);
  writer.put(block);
  const std::uint32_t crc = base::crc32c(base::crc32c(0, place.data(), place.size()), bytes, block_size);
  return crc == checksum_unwritten ? 1 : crc;
}

}  // namespace parapet::layout

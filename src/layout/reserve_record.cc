#include "layout/reserve_record.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/bytes.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

constexpr std::uint32_t reserve_magic = 0x56535250;  // "PRSV"

struct WireHead {
  std::uint32_t magic;
  std::uint32_t crc;  ///< Of everything behind it, to the end of the last block.
  std::uint64_t segment;
  std::uint32_t chunk;
  std::uint32_t position;
  std::uint32_t chain_count;
  std::uint32_t delta_count;
  std::uint32_t size;  ///< Of the whole record.
  std::uint32_t reserved[7];
};
static_assert(sizeof(WireHead) == 64);
constexpr std::size_t crc_end = 8;

struct WireChain {
  std::uint64_t from_counter;
  std::uint64_t last_counter;
  std::uint32_t from_ballot;
  std::uint32_t last_ballot;
};
static_assert(sizeof(WireChain) == 24);

struct WireDelta {
  std::uint32_t chain;
  std::uint32_t offset;
  std::uint32_t size;
  std::uint32_t reserved;
};
static_assert(sizeof(WireDelta) == 16);

/// Sizes fit their fields, and no chain goes back.
bool within_bounds(const ReserveRecord& record) {
  return reserve_record_size(record) <= std::numeric_limits<std::uint32_t>::max() - record.position &&
         record.position % block_size == 0 && std::ranges::equal(record.from, record.last, std::less_equal{});
}

bool all_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{0}; });
}

Error corrupt(SegmentId segment, std::uint32_t chunk, std::uint32_t position) {
  return {.code = ErrorCode::corrupt,
          .operation = "reserve",
          .reason = "the record of segment {} chunk {} at {} is damaged",
          .values = {segment.value, chunk, position}};
}

}  // namespace

std::size_t reserve_record_size(const ReserveRecord& record) {
  std::size_t size = sizeof(WireHead) + record.last.size() * sizeof(WireChain);
  for (const ReservedDelta& delta : record.deltas) size += sizeof(WireDelta) + delta.bytes.size();
  return (size + block_size - 1) / block_size * block_size;
}

void encode_reserve_record(const ReserveRecord& record, std::span<std::uint8_t> bytes) {
  PARAPET_ASSERT(bytes.size() == reserve_record_size(record) && within_bounds(record));
  std::ranges::fill(bytes, std::uint8_t{0});
  WireHead head{reserve_magic,
                0,
                record.segment.value,
                record.chunk,
                record.position,
                static_cast<std::uint32_t>(record.last.size()),
                static_cast<std::uint32_t>(record.deltas.size()),
                static_cast<std::uint32_t>(bytes.size()),
                {}};
  ByteWriter writer(bytes);
  writer.put(head);
  for (std::size_t i = 0; i < record.last.size(); ++i)
    writer.put(WireChain{record.from[i].counter, record.last[i].counter, record.from[i].ballot, record.last[i].ballot});
  for (const ReservedDelta& delta : record.deltas)
    writer.put(WireDelta{delta.chain, delta.offset, static_cast<std::uint32_t>(delta.bytes.size()), 0});
  for (const ReservedDelta& delta : record.deltas) writer.put(delta.bytes.data(), delta.bytes.size());
  head.crc = base::crc32c(0, bytes.data() + crc_end, bytes.size() - crc_end);
  ByteWriter(bytes).put(head);
}

Result<ReserveRecord> decode_reserve_record(SegmentId segment, std::uint32_t chunk, std::uint32_t position,
                                            std::uint32_t chain_count, std::uint32_t chunk_size,
                                            std::span<const std::uint8_t> bytes) {
  const Error damaged = corrupt(segment, chunk, position);
  const auto head = ByteReader(bytes).get<WireHead>();
  if (head.magic != reserve_magic || head.size < sizeof(WireHead) || head.size > bytes.size()) return damaged;
  bytes = bytes.first(head.size);
  if (head.crc != base::crc32c(0, bytes.data() + crc_end, bytes.size() - crc_end)) return damaged;
  if (head.segment != segment.value || head.chunk != chunk || head.position != position) return damaged;
  if (head.chain_count != chain_count || !all_zero(std::as_bytes(std::span(head.reserved)))) return damaged;

  ByteReader reader(bytes);
  reader.get<WireHead>();
  ReserveRecord record{segment, chunk, position, {}, {}, {}};
  for (std::uint32_t i = 0; i < head.chain_count; ++i) {
    const auto wire = reader.get<WireChain>();
    record.from.push_back({wire.from_ballot, wire.from_counter});
    record.last.push_back({wire.last_ballot, wire.last_counter});
  }
  std::vector<WireDelta> wires;
  for (std::uint32_t i = 0; i < head.delta_count && reader.ok(); ++i) wires.push_back(reader.get<WireDelta>());
  for (const WireDelta& wire : wires) {
    if (wire.chain >= chain_count || wire.offset > chunk_size || wire.size > chunk_size - wire.offset) return damaged;
    if (wire.reserved != 0) return damaged;
    record.deltas.push_back({wire.chain, wire.offset, reader.get(wire.size)});
  }
  if (!reader.ok() || !within_bounds(record) || head.size != reserve_record_size(record)) return damaged;
  if (!all_zero(std::as_bytes(bytes.subspan(reader.used())))) return damaged;
  return record;
}

}  // namespace parapet::layout

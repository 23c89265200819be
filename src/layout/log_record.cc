#include "layout/log_record.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

constexpr std::uint32_t record_magic = 0x474f4c50;  // "PLOG"

struct Wire {
  std::uint32_t magic;
  std::uint32_t crc;  ///< Of the header behind it, seeded with the identity of the log.
  std::uint64_t lsn;
  std::uint64_t previous;
  std::uint64_t flushed;
  std::uint64_t segment;
  std::uint64_t sent_to;
  std::uint64_t id_counter;
  std::uint64_t from_counter;
  std::uint32_t id_ballot;
  std::uint32_t from_ballot;
  std::uint32_t writer_ballot;
  std::uint32_t offset;
  std::uint32_t length;
  std::uint32_t list_count;
  std::uint32_t payload_size;
  std::uint32_t body_crc;
  std::uint8_t kind;
  std::uint8_t chain;
  std::array<std::uint8_t, 30> reserved;
};
static_assert(offsetof(Wire, lsn) == 8);
static_assert(offsetof(Wire, segment) == 32);
static_assert(offsetof(Wire, id_ballot) == 64);
static_assert(offsetof(Wire, offset) == 76);
static_assert(offsetof(Wire, kind) == 96);
static_assert(sizeof(Wire) == record_header_size && std::has_unique_object_representations_v<Wire>);

std::uint32_t crc_of(const LogIdentity& identity, const Wire& wire) {
  std::uint32_t crc = base::crc32c(0, identity.pool.bytes.data(), identity.pool.bytes.size());
  crc = base::crc32c(crc, &identity.ordinal, sizeof identity.ordinal);
  return base::crc32c(crc, &wire.lsn, sizeof wire - offsetof(Wire, lsn));
}

/// Bytes of one entry of the list.
constexpr std::size_t entry_size(RecordKind kind) {
  return kind == RecordKind::pages ? sizeof(PagePlace) : sizeof(std::uint32_t);
}

bool within_bounds(const RecordHeader& h) {
  if (h.kind > RecordKind::pages || h.chain >= holder_count_max) return false;
  if (h.lsn % record_alignment != 0 || h.previous % record_alignment != 0) return false;
  if (h.previous > h.lsn || h.flushed > h.lsn) return false;
  if (h.sent_to != set_of_words(holder_word(h.sent_to))) return false;
  if (h.offset > chunk_size_max || h.length > chunk_size_max - h.offset) return false;
  return h.payload_size <= record_payload_size_max && h.list_count <= record_list_count_max;
}

Wire wire_of(const LogIdentity& identity, const RecordHeader& header) {
  Wire wire{};
  wire.magic = record_magic;
  wire.lsn = header.lsn;
  wire.previous = header.previous;
  wire.flushed = header.flushed;
  wire.segment = header.segment.value;
  wire.sent_to = holder_word(header.sent_to);
  wire.id_counter = header.id.counter;
  wire.id_ballot = header.id.ballot;
  wire.from_counter = header.from.counter;
  wire.from_ballot = header.from.ballot;
  wire.writer_ballot = header.writer_ballot;
  wire.offset = header.offset;
  wire.length = header.length;
  wire.list_count = header.list_count;
  wire.payload_size = header.payload_size;
  wire.body_crc = header.body_crc;
  wire.kind = static_cast<std::uint8_t>(header.kind);
  wire.chain = header.chain;
  wire.crc = crc_of(identity, wire);
  return wire;
}

RecordHeader fields_of(const Wire& wire) {
  RecordHeader header;
  header.kind = static_cast<RecordKind>(wire.kind);
  header.chain = wire.chain;
  header.writer_ballot = wire.writer_ballot;
  header.lsn = wire.lsn;
  header.previous = wire.previous;
  header.flushed = wire.flushed;
  header.segment.value = wire.segment;
  header.id = {wire.id_ballot, wire.id_counter};
  header.from = {wire.from_ballot, wire.from_counter};
  header.sent_to = set_of_words(wire.sent_to);
  header.offset = wire.offset;
  header.length = wire.length;
  header.list_count = wire.list_count;
  header.payload_size = wire.payload_size;
  header.body_crc = wire.body_crc;
  return header;
}

/// The bytes of the body of a record.
template <class Byte>
std::span<Byte> body_of(const RecordHeader& header, std::span<Byte> record) {
  return record.subspan(record_header_size, record_list_size(header.kind, header.list_count) + header.payload_size);
}

/// What pads the list, and what pads the record.
template <class Byte>
std::array<std::span<Byte>, 2> padding_of(const RecordHeader& header, std::span<Byte> record) {
  const std::size_t list_end = record_header_size + header.list_count * entry_size(header.kind);
  const std::size_t payload_begin = record_header_size + record_list_size(header.kind, header.list_count);
  const std::size_t payload_end = payload_begin + header.payload_size;
  const std::size_t end = record_size(header.kind, header.list_count, header.payload_size);
  return {record.subspan(list_end, payload_begin - list_end), record.subspan(payload_end, end - payload_end)};
}

std::uint32_t body_crc_of(const RecordHeader& header, std::span<const std::uint8_t> record) {
  const auto body = body_of(header, record);
  return base::crc32c(0, body.data(), body.size());
}

}  // namespace

std::size_t record_list_size(RecordKind kind, std::uint32_t list_count) {
  return (list_count * entry_size(kind) + 7) / 8 * 8;
}

std::size_t record_size(RecordKind kind, std::uint32_t list_count, std::uint32_t payload_size) {
  const std::size_t size = record_header_size + record_list_size(kind, list_count) + payload_size;
  return (size + record_alignment - 1) / record_alignment * record_alignment;
}

void seal_record(const LogIdentity& identity, RecordHeader header, std::span<std::uint8_t> record) {
  PARAPET_ASSERT(within_bounds(header));
  PARAPET_ASSERT(record.size() == record_size(header.kind, header.list_count, header.payload_size));
  for (const auto padding : padding_of(header, record)) std::ranges::fill(padding, std::uint8_t{0});
  header.body_crc = body_crc_of(header, record);
  const Wire wire = wire_of(identity, header);
  std::memcpy(record.data(), &wire, sizeof wire);
}

std::optional<RecordHeader> read_record_header(const LogIdentity& identity, std::span<const std::uint8_t> bytes) {
  if (bytes.size() < record_header_size) return std::nullopt;
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  if (wire.magic != record_magic || wire.crc != crc_of(identity, wire)) return std::nullopt;
  const RecordHeader header = fields_of(wire);
  if (!within_bounds(header)) return std::nullopt;
  const Wire again = wire_of(identity, header);
  if (std::memcmp(&wire, &again, sizeof wire) != 0) return std::nullopt;
  return header;
}

bool record_body_intact(const RecordHeader& header, std::span<const std::uint8_t> record) {
  if (record.size() < record_size(header.kind, header.list_count, header.payload_size)) return false;
  for (const auto padding : padding_of(header, record))
    if (!std::ranges::all_of(padding, [](std::uint8_t byte) { return byte == 0; })) return false;
  return header.body_crc == body_crc_of(header, record);
}

std::span<const std::uint8_t> record_list(const RecordHeader& header, std::span<const std::uint8_t> record) {
  return record.subspan(record_header_size, record_list_size(header.kind, header.list_count));
}

std::span<const std::uint8_t> record_payload(const RecordHeader& header, std::span<const std::uint8_t> record) {
  return record.subspan(record_header_size + record_list_size(header.kind, header.list_count), header.payload_size);
}

}  // namespace parapet::layout

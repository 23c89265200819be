// The records of a device's log.
// The offset table is in docs/formats/device.md; change both together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "layout/ids.h"

namespace parapet::layout {

enum class RecordKind : std::uint8_t {
  data,   ///< New images of whole blocks of the data chunk that this device holds.
  delta,  ///< Old XOR new bytes of a data chunk, for the parity chunk that this device holds; not multiplied.
  pages,  ///< New images of blocks of this device (parity, tags, chunk table), all or none of them.
};

/// What a record says before its body. The body is a list of 4-byte checksums (data, delta: of the new data blocks that
/// the range touches) or of page places (pages), then the payload.
struct RecordHeader {
  RecordKind kind = RecordKind::data;
  std::uint8_t chain = 0;           ///< The data chunk. With `segment` and the rest: of data and delta records only.
  std::uint32_t writer_ballot = 0;  ///< Of the opening that wrote the record; never falls along the log.
  Lsn lsn = 0;                      ///< The record's own position.
  Lsn previous = 0;                 ///< The position of the record before it; of the first one, its own.
  Lsn flushed = 0;                  ///< The log was durable up to here when the record was written.
  SegmentId segment;
  UpdateId id;
  UpdateId from;             ///< The update that this one follows in its chain.
  HolderSet sent_to;         ///< The holders that the update was sent to.
  std::uint32_t offset = 0;  ///< Of the range in the data chunk, bytes.
  std::uint32_t length = 0;
  std::uint32_t list_count = 0;  ///< Checksums or page places.
  std::uint32_t payload_size = 0;
  std::uint32_t body_crc = 0;
  friend bool operator==(const RecordHeader&, const RecordHeader&) = default;
};

/// Where a page of a `pages` record belongs on the device; both multiples of a block.
struct PagePlace {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  friend bool operator==(const PagePlace&, const PagePlace&) = default;
};

inline constexpr std::size_t record_header_size = 128;
inline constexpr std::size_t record_alignment = 64;
/// Bodies are bounded, so that a scan never trusts a size: a payload holds the largest chunk.
inline constexpr std::uint32_t record_payload_size_max = 1u << 30;
inline constexpr std::uint32_t record_list_count_max = 1u << 20;

/// Whose log it is: a record of another device's log is not good.
struct LogIdentity {
  PoolId pool;
  std::uint32_t ordinal = 0;
};

/// Bytes of the list of a record, whole multiples of 8: four zeros follow an odd number of checksums.
std::size_t record_list_size(RecordKind kind, std::uint32_t list_count);
/// Bytes of the whole record with its padding.
std::size_t record_size(RecordKind kind, std::uint32_t list_count, std::uint32_t payload_size);

/// Writes the header and pads list and record. `record` is record_size bytes whose list and payload are in place; sets
/// `body_crc`. Requires fields within the bounds that reading has (asserted): positions are multiples of
/// `record_alignment`, neither `previous` nor `flushed` is beyond `lsn`, the range lies in a chunk of the largest size.
void seal_record(const LogIdentity& identity, RecordHeader header, std::span<std::uint8_t> record);

/// The header at the beginning of `bytes`; nothing when there is no good one of this log. Accepts exactly what
/// `seal_record` writes.
std::optional<RecordHeader> read_record_header(const LogIdentity& identity, std::span<const std::uint8_t> bytes);

/// Whether the body of a record, record_size bytes from its header on, is as it was written, padding included.
bool record_body_intact(const RecordHeader& header, std::span<const std::uint8_t> record);

/// The parts of a record's body; `record` begins at the header.
std::span<const std::uint8_t> record_list(const RecordHeader& header, std::span<const std::uint8_t> record);
std::span<const std::uint8_t> record_payload(const RecordHeader& header, std::span<const std::uint8_t> record);

}  // namespace parapet::layout

// Committed deltas of a parity chunk, coalesced, in the reserve beside its home.
// The offset table is in docs/formats/device.md; change both together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "layout/ids.h"
#include "parapet/result.h"

namespace parapet::layout {

/// Old XOR new bytes [offset, offset + bytes.size()) of data chunk `chain`. The bytes belong to somebody else.
struct ReservedDelta {
  std::uint32_t chain = 0;
  std::uint32_t offset = 0;
  std::span<const std::uint8_t> bytes;
};

/// The updates (from, last] of each chain, as one set of deltas.
struct ReserveRecord {
  SegmentId segment;
  std::uint32_t chunk = 0;
  std::uint32_t position = 0;  ///< Where in the reserve it lies, bytes; a multiple of a block.
  std::vector<UpdateId> from;  ///< Per chain.
  std::vector<UpdateId> last;
  std::vector<ReservedDelta> deltas;
};

/// Bytes of a record: whole blocks.
std::size_t reserve_record_size(const ReserveRecord& record);

/// `bytes` must be reserve_record_size. Requires that `from` is not beyond `last` in any chain, and that the record
/// ends below 4 GiB (asserted).
void encode_reserve_record(const ReserveRecord& record, std::span<std::uint8_t> bytes);

/// The record at the beginning of `bytes`, which must be of this chunk and position; all ranges lie within
/// `chunk_size`. Its deltas' bytes are parts of `bytes`. Accepts exactly what `encode_reserve_record` makes. Errors:
/// `corrupt`.
Result<ReserveRecord> decode_reserve_record(SegmentId segment, std::uint32_t chunk, std::uint32_t position,
                                            std::uint32_t chain_count, std::uint32_t chunk_size,
                                            std::span<const std::uint8_t> bytes);

}  // namespace parapet::layout

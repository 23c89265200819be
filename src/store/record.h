// A record of the log, as it is kept in memory while the log has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/io_buffer.h"
#include "layout/log_record.h"

namespace parapet::store {

using Bytes = std::vector<std::uint8_t>;
/// Bytes that nobody changes any more. The records of one update on several devices share them.
using SharedBytes = env::IoBuffer;

/// A copy.
inline SharedBytes shared_bytes(std::span<const std::uint8_t> bytes) {
  const SharedBytes result(bytes.size());
  std::ranges::copy(bytes, result.data());
  return result;
}

/// Changed only under the mutex of the store whose log has it.
struct Record {
  layout::RecordHeader header;            ///< Positions are set when it is appended, counts and sums when written.
  std::vector<std::uint32_t> checksums;   ///< Of data and delta records: of the new data blocks that the range touches.
  std::vector<layout::PagePlace> places;  ///< Of pages records.
  SharedBytes payload;
  layout::HolderSet lacking;  ///< Holders that were sent the update, and went out before it was committed.
  /// Not needed any more, once the log is durable up to here: what it says is durable elsewhere on this device then.
  layout::Lsn freeable_from = needed;

  static constexpr layout::Lsn needed = ~layout::Lsn{0};
  [[nodiscard]] bool freeable(layout::Lsn flushed) const { return freeable_from <= flushed; }
  [[nodiscard]] std::uint32_t list_count() const {
    return static_cast<std::uint32_t>(header.kind == layout::RecordKind::pages ? places.size() : checksums.size());
  }
  [[nodiscard]] std::size_t size() const {
    return layout::record_size(header.kind, list_count(), static_cast<std::uint32_t>(payload.size()));
  }
};

using RecordPtr = std::shared_ptr<Record>;

}  // namespace parapet::store

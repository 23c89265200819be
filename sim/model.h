// What a segment may hold, by the durability contract alone: the plain memory that the pool is compared with.
//
// A block has versions in the order of its writes. Reads while the pool runs see the last one. After a crash it may be
// any version from the last one that a flush covered on; what is read then is the truth from there on.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/ids.h"

namespace parapet::sim {

using Bytes = std::vector<std::uint8_t>;

/// Counts completed writes.
using Moment = std::uint64_t;

/// One segment. Each block has one writer at a time.
class SegmentModel {
 public:
  explicit SegmentModel(std::size_t size);

  [[nodiscard]] std::size_t size() const { return size_; }
  /// What reads see now.
  [[nodiscard]] Bytes bytes(std::size_t offset, std::size_t length) const;
  /// A write begins: its blocks get a further version.
  void begin_write(std::size_t offset, std::span<const std::uint8_t> bytes);
  /// It returned at `moment`; or it failed, and nobody knows.
  void end_write(std::size_t offset, std::size_t length, Moment moment);
  /// A flush that began at `moment` returned: versions that were written by then stay.
  void flushed(Moment moment);
  /// After a crash or a failed write: checks what is read, and takes it as the truth. Says what is wrong, or nothing.
  std::optional<std::string> settle(std::span<const std::uint8_t> bytes);

 private:
  struct Version {
    Bytes bytes;
    Moment done = ~Moment{0};
  };
  std::size_t size_;
  std::vector<std::deque<Version>> blocks_;
};

}  // namespace parapet::sim

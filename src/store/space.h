// Which units of a device's space are taken.
//
// Invariants:
//  1. A unit is free, taken, or leaving: given back at some position of the log, and not given out again before the
//  log's
//     head has passed that. Until then the log may hold images of its old content.
//  2. free + taken + leaving = all units.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "layout/chunk_slot.h"

namespace parapet::store {

/// Not thread-safe: the store's mutex guards it.
class Space {
 public:
  explicit Space(std::uint32_t unit_count) : taken_(unit_count, false), free_count_(unit_count) {}

  /// Contiguous units, from where the last search ended. Leaves `spare` units free: moving a chunk when space is short
  /// needs them.
  std::optional<layout::Extent> allocate(std::uint32_t unit_count, std::uint32_t spare);
  /// Takes units that a slot owns. False when they are out of bounds or taken: two slots own them.
  bool take(const layout::Extent& extent);
  /// Units that nobody owns any more since position `lsn` of the log.
  void give_back(const layout::Extent& extent, layout::Lsn lsn);
  /// Units that nothing durable ever named.
  void free_now(const layout::Extent& extent);
  /// The log begins at `head` now.
  void head_passed(layout::Lsn head);
  /// Units that nobody owns, but of which the log has images: they leave at `lsn`.
  void leave_untaken(std::uint32_t unit, layout::Lsn lsn);

  [[nodiscard]] bool taken(std::uint32_t unit) const { return taken_[unit]; }
  [[nodiscard]] std::uint32_t free_count() const { return free_count_; }
  [[nodiscard]] std::uint32_t leaving_count() const { return leaving_count_; }
  [[nodiscard]] std::uint32_t unit_count() const { return static_cast<std::uint32_t>(taken_.size()); }

 private:
  std::vector<bool> taken_;  ///< Taken or leaving.
  std::uint32_t free_count_;
  std::uint32_t leaving_count_ = 0;
  std::uint32_t next_ = 0;
  std::deque<std::pair<layout::Lsn, layout::Extent>> leaving_;
};

}  // namespace parapet::store

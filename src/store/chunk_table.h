// A device's chunk table in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "layout/chunk_slot.h"

namespace parapet::store {

/// Not thread-safe: the store's mutex guards it.
class ChunkTable {
 public:
  explicit ChunkTable(std::uint32_t page_count) : slots_(std::size_t{page_count} * layout::slots_per_page) {}

  /// Takes a page that was read or replayed. False when two slots name one segment.
  bool put_page(std::uint32_t page_index, const std::vector<layout::ChunkSlot>& slots);
  /// The page that holds a slot, encoded.
  [[nodiscard]] layout::TablePage page_image(std::size_t slot_index) const;
  [[nodiscard]] static std::uint32_t page_of(std::size_t slot_index) {
    return static_cast<std::uint32_t>(slot_index / layout::slots_per_page);
  }

  [[nodiscard]] std::optional<std::size_t> find(layout::SegmentId segment) const;
  [[nodiscard]] std::optional<std::size_t> find_free() const;
  [[nodiscard]] const layout::ChunkSlot& operator[](std::size_t index) const { return slots_[index]; }
  void set(std::size_t index, layout::ChunkSlot slot);
  /// Segments in ascending order, with their slots.
  [[nodiscard]] const std::map<layout::SegmentId, std::size_t>& segments() const { return segments_; }
  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }

 private:
  std::vector<layout::ChunkSlot> slots_;
  std::map<layout::SegmentId, std::size_t> segments_;
  mutable std::size_t search_start_ = 0;
};

}  // namespace parapet::store

#include "store/chunk_table.h"

#include <algorithm>

namespace parapet::store {

using layout::ChunkSlot;
using layout::SlotState;

bool ChunkTable::put_page(std::uint32_t page_index, const std::vector<ChunkSlot>& slots) {
  const std::size_t first = std::size_t{page_index} * layout::slots_per_page;
  for (std::size_t i = 0; i < slots.size(); ++i) set(first + i, ChunkSlot{});
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].state != SlotState::free && segments_.contains(slots[i].segment)) return false;
    set(first + i, slots[i]);
  }
  return true;
}

layout::TablePage ChunkTable::page_image(std::size_t slot_index) const {
  const std::size_t first = page_of(slot_index) * layout::slots_per_page;
  return layout::encode_table_page(page_of(slot_index), std::span<const ChunkSlot, layout::slots_per_page>(
                                                            slots_.data() + first, layout::slots_per_page));
}

std::optional<std::size_t> ChunkTable::find(layout::SegmentId segment) const {
  const auto it = segments_.find(segment);
  return it == segments_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<std::size_t> ChunkTable::find_free() const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const std::size_t index = (search_start_ + i) % slots_.size();
    if (slots_[index].state != SlotState::free) continue;
    search_start_ = index;
    return index;
  }
  return std::nullopt;
}

void ChunkTable::set(std::size_t index, ChunkSlot slot) {
  if (slots_[index].state != SlotState::free) segments_.erase(slots_[index].segment);
  if (slot.state != SlotState::free) segments_[slot.segment] = index;
  slots_[index] = std::move(slot);
}

}  // namespace parapet::store

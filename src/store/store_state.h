// For tests of a store: what it says of itself.
#pragma once

#include <vector>

#include "store/store_testing.h"

namespace parapet::store {

inline constexpr std::uint32_t chunk_size = 64 << 10;
inline constexpr SegmentId segment{77};

inline SegmentModel make_model(SegmentId id = segment, const char* code = "rs(4,2)", std::uint32_t size = chunk_size) {
  return {id, code, size};
}

/// What a store says of itself, to compare two recoveries.
struct State {
  std::vector<layout::ChunkSlot> slots;
  std::vector<layout::ChunkTag> tags;
  std::vector<Bytes> contents;
  std::vector<std::vector<UpdateId>> tips;
  std::vector<UpdateId> logged;
  std::uint64_t free, taken, leaving, log_used, log_reserved;
  friend bool operator==(const State&, const State&) = default;
};

inline State state_of(TestDevice& device) {
  State state{};
  for (SegmentId id : device.store->segments()) {
    state.slots.push_back(*device.store->slot(id));
    const auto found = device.store->chunk(id);
    if (!found) continue;
    Chunk& chunk = **found;
    state.tags.push_back(chunk.tag);
    state.tips.push_back(chunk.tip);
    for (const RecordPtr& record : chunk.updates) state.logged.push_back(record->header.id);
    state.contents.push_back(device.content(chunk).value_or(Bytes()));
  }
  const SpaceUse use = device.store->space_use();
  state.free = use.free;
  state.taken = use.taken;
  state.leaving = use.leaving;
  state.log_used = use.log_used;
  state.log_reserved = use.log_reserved;
  return state;
}

inline std::uint64_t whole_space(TestDevice& device) {
  return device.store->superblock().geometry.unit_count * std::uint64_t{layout::unit_size};
}

}  // namespace parapet::store

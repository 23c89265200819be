// Changes of a segment's slots on several devices.
#include "base/try.h"
#include "pool/pool.h"

namespace parapet::pool {

using layout::HolderSet;

Result<void> Pool::change_slots_waiting(env::Lock& stage, Segment& segment, const HolderSet& holders,
                                        const SlotChange& change) {
  std::vector<std::pair<store::Store*, std::size_t>> promised;
  for (unsigned holder : holders) {
    store::Store& store = *segment.holders[holder].store;
    // Devices that have gone out take no changes, and need none.
    if (const auto room = store.reserve_slot_change(segment.id)) promised.emplace_back(&store, *room);
  }
  stage.lock();
  for (const auto& [store, room] : promised) store->append_slot(segment.id, room, change);
  return {};
}

Result<void> Pool::change_slots(Segment& segment, const HolderSet& holders, const SlotChange& change) {
  std::vector<std::pair<store::Store*, std::size_t>> promised;
  for (unsigned holder : holders) {
    store::Store& store = *segment.holders[holder].store;
    if (const auto room = store.try_reserve_slot_change(segment.id)) {
      promised.emplace_back(&store, *room);
      continue;
    }
    for (const auto& [other, size] : promised) other->cancel_reservation(size);
    return Error{.code = ErrorCode::no_space,
                 .operation = "log",
                 .reason = "no room to change the slot of segment {} on device {}",
                 .values = {segment.id.value, segment.holders[holder].device}};
  }
  for (const auto& [store, room] : promised) store->append_slot(segment.id, room, change);
  return {};
}

}  // namespace parapet::pool

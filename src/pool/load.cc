// Opens segments: who counts, how far each chain has come, and filling those who lack the end of it.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"
#include "store/chunk_loader.h"
#include "store/chunk_reader.h"
#include "store/io_time.h"
#include "store/xor_onto.h"

namespace parapet::pool {

using layout::block_size;
using layout::HolderSet;
using layout::RecordKind;
using layout::SegmentId;
using layout::UpdateId;

namespace {

Error missing(SegmentId id) {
  return {
      .code = ErrorCode::not_found, .operation = "segment", .reason = "there is no segment {}", .values = {id.value}};
}

}  // namespace

Result<Pool::SegmentPtr> Pool::segment(SegmentId id) {
  {
    const env::Lock lock(*stage_);
    if (const auto it = segments_.find(id); it != segments_.end()) {
      PARAPET_CHECK(servable(*it->second));
      it->second->used = true;
      return it->second;
    }
  }
  const env::Lock loading(*load_mutex_);
  {
    const env::Lock lock(*stage_);
    if (const auto it = segments_.find(id); it != segments_.end()) return it->second;
  }
  env::Lock lock(*stage_);
  for (;;) {
    const auto devices = reachable();
    const auto version = configuration_.version;
    lock.unlock();
    PARAPET_TRY(const SegmentPtr segment, load(id));
    lock.lock();
    // What was filled must be durable before anyone reads it.
    if (!base::broken(base::Mutant::serve_before_durable)) PARAPET_CHECK(commit_staged(lock));
    // A device that went out meanwhile was taken out of the segments that were there.
    if (!(reachable() == devices) || configuration_.version != version) continue;
    segments_[id] = segment;
    unload_some();
    return segment;
  }
}

/// Takes segments out of memory that nobody uses and of which nothing waits in the logs, round and round, those first
/// that were not used since the last turn. What is in memory of them is what the devices say.
void Pool::unload_some() {
  constexpr int looks_max = 64;
  for (int look = 0; look < looks_max && segments_.size() > options_.loaded_segments_max; ++look) {
    auto it = segments_.upper_bound(unload_hand_);
    if (it == segments_.end()) it = segments_.begin();
    unload_hand_ = it->first;
    if (std::exchange(it->second->used, false) || !idle(it->second)) continue;
    const SegmentPtr segment = std::move(it->second);
    segments_.erase(it);
    for (Holder& place : segment->holders) {
      place.chunk = nullptr;
      if (place.store != nullptr) place.store->unload(segment->id);
    }
  }
}

bool Pool::idle(const SegmentPtr& segment) const {
  const auto noted = damaged_.lower_bound({segment->id, 0});
  if (noted != damaged_.end() && noted->first == segment->id) return false;
  return segment.use_count() == 1 && segment->staged.empty() &&
         std::ranges::none_of(segment->holders, [&](const Holder& place) {
           return place.chunk != nullptr && !place.store->idle(*place.chunk);
         });
}

std::optional<layout::ChunkSlot> Pool::newest_slot(SegmentId id) {
  std::optional<layout::ChunkSlot> newest;
  for (unsigned device : reachable()) {
    auto slot = devices_[device].store->slot(id);
    if (!slot || slot->devices[slot->chunk] != device) continue;
    if (!newest || slot->members.version > newest->members.version) newest = std::move(slot);
  }
  return newest;
}

/// Whether some holder says that the segment is whole: one that is being made is not there yet.
bool Pool::lives(const layout::ChunkSlot& slot) const {
  return std::ranges::any_of(slot.devices, [&](unsigned device) {
    if (!reachable().contains(device)) return false;
    const auto own = devices_[device].store->slot(slot.segment);
    return own && own->state == layout::SlotState::live;
  });
}

Result<Pool::SegmentPtr> Pool::load(SegmentId id) {
  const auto slot = newest_slot(id);
  if (!slot || !lives(*slot)) return missing(id);
  PARAPET_TRY(Code code, codes_.code(slot->code));
  auto segment = std::make_shared<Segment>(id, code, slot->chunk_size);
  HolderSet present;
  std::vector<std::pair<Holder*, store::ChunkLoader>> loaders;
  for (unsigned holder = 0; holder < segment->holders.size(); ++holder) {
    Holder& place = segment->holders[holder];
    place.device = slot->devices[holder];
    if (!reachable().contains(place.device)) continue;
    present.insert(holder);
    place.store = devices_[place.device].store.get();
    const auto own = place.store->slot(id);
    if (!own || own->chunk != holder) continue;
    loaders.emplace_back(&place, store::ChunkLoader(*place.store, id));
  }
  env::IoBatch io(world_);
  for (auto& [place, loader] : loaders) loader.add_read(io);
  io.run(world_.now() + store::io_time_max);
  for (auto& [place, loader] : loaders)
    if (const auto chunk = loader.finish(io)) place->chunk = *chunk;
  const HolderSet members = effective_members(*slot, code).holders;
  for (unsigned holder : members& present)
    if (segment->holders[holder].chunk != nullptr) segment->counting.insert(holder);
  if (others_went_on(*slot, code, segment->counting)) segment->counting = {};
  PARAPET_CHECK(servable(*segment));

  choose_tips(*segment);
  PARAPET_CHECK(fill(*segment, (members & present) - segment->counting));
  const HolderSet others = HolderSet::range(0, code.n()) - segment->counting;
  for (unsigned holder : segment->counting) {
    const Holder& place = segment->holders[holder];
    for (unsigned chain = 0; chain < code.k(); ++chain)
      if (segment->holders_of(chain).contains(holder))
        place.store->mark_committed(
            std::array{store::Store::Committed{place.chunk, chain, segment->chains[chain].committed}});
    if (!others.empty()) place.store->mark_lacking(*place.chunk, others, false);
  }
  return segment;
}

/// Holders that are absent might have gone on without those that are here and would count.
bool Pool::others_went_on(const layout::ChunkSlot& slot, const Code& code, const HolderSet& counting) const {
  HolderSet absent;
  for (unsigned holder = 0; holder < slot.devices.size(); ++holder) {
    const unsigned device = slot.devices[holder];
    if (!reachable().contains(device)) absent.insert(holder);
    if (counting.contains(holder) && configuration_.in.contains(device)) return false;
  }
  return code.decodable(absent);
}

bool Pool::closed(SegmentId id) {
  if (const auto it = segments_.find(id); it != segments_.end()) return !servable(*it->second);
  const auto slot = newest_slot(id);
  if (!slot || !lives(*slot)) return false;
  const auto code = codes_.code(slot->code);
  if (!code) return true;
  HolderSet counting;
  for (unsigned holder : effective_members(*slot, *code).holders) {
    const unsigned device = slot->devices[holder];
    if (reachable().contains(device) && devices_[device].store->slot(id)) counting.insert(holder);
  }
  return !code->decodable(counting) || others_went_on(*slot, *code, counting);
}

/// The longest chain among those that count.
void Pool::choose_tips(Segment& segment) {
  for (unsigned chain = 0; chain < segment.code.k(); ++chain)
    for (unsigned holder : segment.holders_of(chain) & segment.counting) {
      const store::Chunk& chunk = *segment.holders[holder].chunk;
      const UpdateId tip = chunk.tip[chunk.shape.chain_index(chain)];
      UpdateId& chosen = segment.chains[chain].tip;
      chosen = base::broken(base::Mutant::shortest_chain) && chosen > UpdateId{} ? std::min(chosen, tip)
                                                                                 : std::max(chosen, tip);
    }
}

/// Appends to every counting holder what it lacks. `damaged`: holders whose chunk cannot be used. One that cannot be
/// filled is damaged: it does not count, and the others say durably that it missed something.
Result<void> Pool::fill(Segment& segment, HolderSet damaged) {
  const bool fills =
      !base::broken(base::Mutant::no_fill) && (damaged.empty() || !base::broken(base::Mutant::repair_before_fill));
  for (unsigned chain = 0; chain < segment.code.k(); ++chain) {
    for (unsigned holder : segment.holders_of(chain) & segment.counting)
      if (fills) PARAPET_CHECK(fill_holder(segment, chain, holder, damaged));
    segment.chains[chain].committed = segment.chains[chain].tip;
  }
  if (damaged.empty()) return {};
  segment.counting = segment.counting - damaged;
  PARAPET_CHECK(servable(segment));
  env::Lock lock(*stage_);
  PARAPET_CHECK(append_damage(segment, damaged));
  return commit_staged(lock);
}

Result<void> Pool::fill_holder(Segment& segment, unsigned chain, unsigned holder, HolderSet& damaged) {
  const Holder& place = segment.holders[holder];
  const std::size_t index = place.chunk->shape.chain_index(chain);
  while (place.chunk->tip[index] != segment.chains[chain].tip) {
    // The next update, from whoever has it.
    const store::Record* next = nullptr;
    unsigned source = 0;
    for (unsigned other : segment.holders_of(chain) & segment.counting) {
      for (const store::RecordPtr& record : segment.holders[other].chunk->updates)
        if (record->header.chain == chain && record->header.from == place.chunk->tip[index]) {
          next = record.get();
          source = other;
        }
      if (next != nullptr) break;
    }
    store::RecordPtr record;
    if (next != nullptr) {
      record = missing_record(segment, chain, holder, *next, source);
    }
    if (!record) {
      damaged.insert(holder);
      return {};
    }
    const auto room = place.store->try_reserve_update(*place.chunk, record->size());
    if (!room) {
      damaged.insert(holder);
      return {};
    }
    const env::Lock lock(*stage_);
    place.store->append_update(*place.chunk, record, *room);
  }
  return {};
}

/// The update as `holder` would have it, from the record of another holder. Null when the old content cannot be read.
store::RecordPtr Pool::missing_record(Segment& segment, unsigned chain, unsigned holder, const store::Record& source,
                                      unsigned source_holder) {
  auto record = std::make_shared<store::Record>();
  record->header = source.header;
  record->header.kind = holder == chain ? RecordKind::data : RecordKind::delta;
  record->checksums = source.checksums;
  record->lacking = source.lacking;
  if (holder != chain && source_holder != chain) {
    record->payload = source.payload;
    return record;
  }
  // Old content and one of delta and images give the other one.
  const Holder& data = segment.holders[chain];
  const std::uint32_t first = source.header.offset / block_size;
  const auto count = static_cast<std::uint32_t>(source.checksums.size());
  const std::size_t within = source.header.offset % block_size;
  const env::IoBuffer old(std::size_t{count} * block_size);
  env::IoBatch io(world_);
  store::ChunkReader reader(*data.store, *data.chunk, first, count, old, source.header.from);
  reader.add_reads(io);
  io.run(world_.now() + store::io_time_max);
  if (!reader.finish(io)) return nullptr;
  if (holder == chain) {
    store::xor_onto(old.data() + within, source.payload.data(), source.header.length);
    // Content that is old and consistent in itself, after lost writes, would go wrong here.
    for (std::uint32_t i = 0; i < count; ++i)
      if (layout::chunk_block_checksum(segment.id, chain, first + i, old.data() + std::size_t{i} * block_size) !=
          source.checksums[i])
        return nullptr;
    record->payload = old;
  } else {
    store::xor_onto(old.data() + within, source.payload.data() + within, source.header.length);
    record->payload = old.part(within, source.header.length);
  }
  return record;
}

}  // namespace parapet::pool

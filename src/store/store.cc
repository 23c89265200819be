#include "store/store.h"

namespace parapet::store {

using layout::ChunkSlot;

std::size_t reserve_offset(const ChunkShape& shape) { return shape.chunk_size + layout::tag_size(shape.tag); }

std::size_t reserve_capacity(const ChunkShape& shape, const ChunkSlot& slot) {
  return std::size_t{slot.home.unit_count} * layout::unit_size - reserve_offset(shape);
}

std::uint32_t home_unit_count(const ChunkShape& shape, std::size_t reserve_size) {
  const std::size_t size = reserve_offset(shape) + reserve_size;
  return static_cast<std::uint32_t>((size + layout::unit_size - 1) / layout::unit_size);
}

Store::Store(env::World& world, env::Disk& disk, CodeCache& codes, layout::Superblock superblock)
    : world_(world),
      disk_(disk),
      codes_(codes),
      geometry_(superblock.geometry),
      superblock_mutex_(world.make_mutex()),
      superblock_(std::move(superblock)),
      mutex_(world.make_mutex()),
      room_grew_(world.make_cond_var()),
      unpinned_(world.make_cond_var()),
      mover_wanted_(world.make_cond_var()),
      table_(geometry_.table_page_count),
      space_(geometry_.unit_count),
      log_(disk, geometry_, {superblock_.pool, superblock_.ordinal}) {}

Store::Pressure Store::pressure_locked() const {
  return {log_.size(), log_.used_size(), unmoved_[0], unmoved_[1], waiting_ > 0 || starved_};
}

Store::Pressure Store::pressure() {
  const env::Lock lock(*mutex_);
  return pressure_locked();
}

void Store::wait_for(const std::function<bool(const Pressure&)>& wanted) {
  env::Lock lock(*mutex_);
  wanted_ = wanted;
  ++movers_waiting_;
  while (!wanted(pressure_locked())) mover_wanted_->wait(lock);
  --movers_waiting_;
}

void Store::wake_mover() {
  if (movers_waiting_ > 0 && wanted_(pressure_locked())) mover_wanted_->notify_all();
}

void Store::tell_room_grew() {
  if (waiting_ > 0) room_grew_->notify_all();
}

void Store::wake() {
  const env::Lock lock(*mutex_);
  mover_wanted_->notify_all();
}

std::uint32_t Store::free_unit_count() {
  const env::Lock lock(*mutex_);
  return space_.free_count();
}

SpaceUse Store::space_use() {
  const env::Lock lock(*mutex_);
  SpaceUse use;
  use.free = std::uint64_t{space_.free_count()} * layout::unit_size;
  use.leaving = std::uint64_t{space_.leaving_count()} * layout::unit_size;
  use.taken = std::uint64_t{space_.unit_count()} * layout::unit_size - use.free - use.leaving;
  for (const auto& [segment, chunk] : chunks_) {
    use.reserve_used += chunk->tag.reserve_used;
    for (const RecordPtr& record : chunk->updates)
      if (record->header.id <= chunk->committed[chunk->shape.chain_index(record->header.chain)])
        use.log_foldable += record->size();
  }
  use.log_size = log_.size();
  use.log_used = log_.used_size();
  use.log_reserved = reserved_;
  return use;
}

}  // namespace parapet::store

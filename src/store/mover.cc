#include "store/mover.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "store/io_time.h"
#include "store/xor_onto.h"

namespace parapet::store {
namespace {

using layout::block_size;
using layout::RecordKind;
using layout::UpdateId;

/// Adds what lies together on the device as one write. Blocks must come in ascending order.
class BlockWrites {
 public:
  BlockWrites(env::IoBatch& io, env::Disk& disk, std::uint64_t home) : io_(io), disk_(disk), home_(home) {}
  ~BlockWrites() { put_run(); }
  void add(std::uint32_t block, const std::uint8_t* bytes) {
    if (run_.size() / block_size + first_ != block) {
      put_run();
      first_ = block;
    }
    run_.insert(run_.end(), bytes, bytes + block_size);
  }

 private:
  void put_run() {
    if (run_.empty()) return;
    const env::IoBuffer buffer(run_.size());
    std::memcpy(buffer.data(), run_.data(), run_.size());
    io_.write(disk_, home_ + std::uint64_t{first_} * block_size, buffer);
    run_.clear();
  }
  env::IoBatch& io_;
  env::Disk& disk_;
  std::uint64_t home_;
  std::uint32_t first_ = 0;
  Bytes run_;
};

/// The deltas of updates, XORed together per block of a data chunk.
std::vector<layout::ReservedDelta> coalesce(const std::vector<RecordPtr>& updates) {
  struct Piece {
    std::uint32_t begin = block_size;
    std::uint32_t end = 0;
    Bytes bytes = Bytes(block_size);
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Piece> pieces;  // By chain and block.
  for (const RecordPtr& update : updates) {
    const auto& header = update->header;
    for (std::uint32_t at = 0; at < header.length;) {
      const std::uint32_t offset = header.offset + at;
      const std::uint32_t begin = offset % block_size;
      const std::uint32_t size = std::min(block_size - begin, header.length - at);
      Piece& piece = pieces[{header.chain, offset / block_size}];
      piece.begin = std::min(piece.begin, begin);
      piece.end = std::max(piece.end, begin + size);
      xor_onto(piece.bytes.data() + begin, update->payload.data() + at, size);
      at += size;
    }
  }
  std::vector<layout::ReservedDelta> deltas;
  for (const auto& [place, piece] : pieces)
    deltas.push_back({place.first,
                      place.second * block_size + piece.begin,
                      {piece.bytes.begin() + piece.begin, piece.bytes.begin() + piece.end}});
  return deltas;
}

}  // namespace

Mover::Mover(Store& store, const MovePolicy& policy) : store_(store), policy_(policy) {
  // A pinned chunk is left for the next pass: waiting for it while others are held could end in a circle.
  const env::Lock lock(*store.mutex_);
  for (const auto& [segment, chunk] : store.dirty_)
    if (chunk->pins == 0 && (chunk->shape.parity ? policy.parity : policy.data)) take(chunk);
}

Mover::~Mover() {
  const env::Lock lock(*store_.mutex_);
  for (const auto& move : moves_) release(*move);
}

void Mover::release(Move& move) {
  Chunk& chunk = *move.chunk;
  chunk.moving = false;
  store_.reserved_ -= move.cost;
  if (chunk.move_cost == 0) {
    chunk.move_cost = store_.move_cost(chunk);
    store_.reserved_ += chunk.move_cost;
  }
  if (!(move.slot.home == move.old_home)) store_.space_.free_now(move.slot.home);
  store_.unpinned_->notify_all();
  store_.tell_room_grew();
}

void Mover::take(const ChunkPtr& taken) {
  Chunk& chunk = *taken;
  auto move = std::make_unique<Move>();
  for (const RecordPtr& update : chunk.updates)
    if (update->header.id <= chunk.committed[chunk.shape.chain_index(update->header.chain)] ||
        base::broken(base::Mutant::move_uncommitted))
      move->updates.push_back(update);
  if (move->updates.empty()) return;
  // What stays behind will need a pages record of its own.
  if (move->updates.size() < chunk.updates.size()) {
    const std::size_t cost = store_.move_cost(chunk);
    if (store_.room() < cost) return;
    store_.reserved_ += cost;
    move->cost = chunk.move_cost;
    chunk.move_cost = cost;
  } else {
    move->cost = chunk.move_cost;
    chunk.move_cost = 0;
  }
  move->chunk = taken;
  move->tag = chunk.tag;
  move->slot = store_.table_[chunk.slot_index];
  move->old_home = move->slot.home;
  chunk.moving = true;
  moves_.push_back(std::move(move));
}

Result<void> Mover::write() {
  env::IoBatch io(store_.world_);
  std::vector<std::unique_ptr<Move>> chosen;
  chosen.swap(moves_);
  for (auto& move : chosen) {
    if (!move->chunk->shape.parity) {
      write_data(*move, io);
    } else if (!(policy_.into_reserve && write_reserve(*move, io))) {
      const auto folded = fold(*move, io);
      if (!folded) {
        failures_.push_back({move->tag.segment, move->tag.chunk, folded.error()});
        const env::Lock lock(*store_.mutex_);
        release(*move);
        continue;
      }
    }
    moves_.push_back(std::move(move));
  }
  for (const auto& move : moves_) {
    for (const RecordPtr& update : move->updates) {
      const std::size_t chain = move->chunk->shape.chain_index(update->header.chain);
      move->tag.reserved[chain] = update->header.id;
      for (std::uint32_t i = 0; i < update->checksums.size(); ++i) {
        const std::uint32_t block = update->header.offset / block_size + i;
        const std::size_t index =
            move->chunk->shape.parity ? move->chunk->shape.data_checksum_index(update->header.chain, block) : block;
        move->tag.checksums[index] = update->checksums[i];
      }
    }
    if (move->tag.reserve_used == 0) move->tag.home = move->tag.reserved;
  }
  if (io.size() == 0) return {};
  io.run(store_.world_.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  if (base::broken(base::Mutant::move_without_flush)) return {};
  return store_.flush_device();
}

void Mover::write_data(Move& move, env::IoBatch& io) {
  std::map<std::uint32_t, const std::uint8_t*> newest;
  for (const RecordPtr& update : move.updates)
    for (std::uint32_t i = 0; i < update->checksums.size(); ++i)
      newest[update->header.offset / block_size + i] = update->payload.data() + std::size_t{i} * block_size;
  BlockWrites writes(io, store_.disk_, store_.home_offset(move.slot));
  for (const auto& [block, bytes] : newest) writes.add(block, bytes);
}

bool Mover::write_reserve(Move& move, env::IoBatch& io) {
  const ChunkShape& shape = move.chunk->shape;
  layout::ReserveRecord record;
  record.segment = move.tag.segment;
  record.chunk = move.tag.chunk;
  record.position = move.tag.reserve_used;
  record.from = record.last = move.tag.reserved;
  for (const RecordPtr& update : move.updates) record.last[update->header.chain] = update->header.id;
  record.deltas = coalesce(move.updates);
  const std::size_t size = layout::reserve_record_size(record);
  if (size > reserve_capacity(shape, move.slot) - move.tag.reserve_used) return false;
  const env::IoBuffer buffer(size);
  layout::encode_reserve_record(record, buffer.span());
  io.write(store_.disk_, store_.home_offset(move.slot) + reserve_offset(shape) + record.position, buffer);
  move.tag.reserve_used += static_cast<std::uint32_t>(size);
  return true;
}

Result<void> Mover::fold(Move& move, env::IoBatch& io) {
  const ChunkShape& shape = move.chunk->shape;
  ParityRows changes(shape.code, shape.rows, shape.chunk - shape.code.k());
  if (move.tag.reserve_used > 0) {
    env::IoBatch reads(store_.world_);
    HomeReader reader(store_, *move.chunk, {}, true, reads);
    reads.run(store_.world_.now() + io_time_max);
    PARAPET_CHECK(reader.finish(reads));
    for (const layout::ReserveRecord& record : reader.reserve())
      for (const layout::ReservedDelta& delta : record.deltas) changes.add(delta.chain, delta.offset, delta.bytes);
  }
  for (const RecordPtr& update : move.updates)
    changes.add(update->header.chain, update->header.offset, update->payload.span());
  if (!base::broken(base::Mutant::fold_reserve_twice)) move.tag.reserve_used = 0;
  const std::size_t image_size = changes.rows().size() * shape.rows.row_size();
  if (image_size <= shape.chunk_size / 4 && reserve_images(move, image_size)) return fold_in_log(move, changes, io);
  return fold_elsewhere(move, changes, io);
}

bool Mover::reserve_images(Move& move, std::size_t image_size) {
  const env::Lock lock(*store_.mutex_);
  const std::size_t cost = image_size + image_size / block_size * sizeof(layout::PagePlace);
  if (store_.room() < cost) return false;
  store_.reserved_ += cost;
  move.cost += cost;
  return true;
}

Result<void> Mover::fold_in_log(Move& move, const ParityRows& changes, env::IoBatch& io) {
  const ChunkShape& shape = move.chunk->shape;
  std::vector<std::uint32_t> blocks;
  for (const auto& [row, bytes] : changes.rows())
    for (std::uint32_t block : shape.rows.blocks_of(row)) blocks.push_back(block);
  env::IoBatch reads(store_.world_);
  HomeReader reader(store_, *move.chunk, blocks, false, reads);
  reads.run(store_.world_.now() + io_time_max);
  PARAPET_CHECK(reader.finish(reads));
  std::size_t index = 0;
  for (const auto& [row, bytes] : changes.rows()) {
    for (std::size_t at = 0; at < bytes.size(); at += block_size, ++index) {
      Bytes image(reader.block(index), reader.block(index) + block_size);
      xor_onto(image.data(), bytes.data() + at, block_size);
      const std::uint32_t block = blocks[index];
      move.tag.checksums[block] = layout::chunk_block_checksum(move.tag.segment, move.tag.chunk, block, image.data());
      if (base::broken(base::Mutant::fold_in_place)) {
        BlockWrites(io, store_.disk_, store_.home_offset(move.slot)).add(block, image.data());
        continue;
      }
      move.images[block] = std::move(image);
    }
  }
  return {};
}

Result<void> Mover::fold_elsewhere(Move& move, const ParityRows& changes, env::IoBatch& io) {
  const ChunkShape& shape = move.chunk->shape;
  std::vector<std::uint32_t> blocks(shape.block_count);
  for (std::uint32_t block = 0; block < shape.block_count; ++block) blocks[block] = block;
  env::IoBatch reads(store_.world_);
  HomeReader reader(store_, *move.chunk, blocks, false, reads);
  reads.run(store_.world_.now() + io_time_max);
  PARAPET_CHECK(reader.finish(reads));
  const env::IoBuffer folded(shape.chunk_size);
  std::memcpy(folded.data(), reader.block(0), shape.chunk_size);
  for (const auto& [row, bytes] : changes.rows()) {
    std::size_t at = 0;
    for (std::uint32_t block : shape.rows.blocks_of(row)) {
      std::uint8_t* const to = folded.data() + std::size_t{block} * block_size;
      xor_onto(to, bytes.data() + at, block_size);
      move.tag.checksums[block] = layout::chunk_block_checksum(move.tag.segment, move.tag.chunk, block, to);
      at += block_size;
    }
  }
  {
    const env::Lock lock(*store_.mutex_);
    const auto home = store_.space_.allocate(move.old_home.unit_count, 0);
    if (!home)
      return Error{.code = ErrorCode::no_space,
                   .operation = "fold",
                   .reason = "no {} contiguous units are free",
                   .values = {move.old_home.unit_count}};
    move.slot.home = *home;
  }
  io.write(store_.disk_, store_.home_offset(move.slot), folded);
  return {};
}

std::vector<Missed> Mover::missed() const {
  const env::Lock lock(*store_.mutex_);
  std::vector<Missed> result;
  for (const auto& move : moves_) {
    layout::HolderSet holders;
    for (const RecordPtr& update : move->updates) {
      const unsigned chain = update->header.chain;
      const layout::HolderSet all = move->chunk->shape.code.parities_of(chain) | layout::HolderSet{chain};
      holders = holders | (all - update->header.sent_to) | update->lacking;
    }
    if (!holders.empty()) result.push_back({move->tag.segment, holders});
  }
  return result;
}

void Mover::append() {
  const env::Lock lock(*store_.mutex_);
  for (const auto& move : moves_) {
    const ChunkShape& shape = move->chunk->shape;
    const std::uint64_t home = store_.home_offset(move->slot);
    const bool moved = !(move->slot.home == move->old_home);
    auto record = std::make_shared<Record>();
    record->header.kind = RecordKind::pages;
    const std::size_t size = layout::tag_size(shape.tag);
    Bytes payload(size);
    layout::encode_tag(move->tag, shape.tag, payload);
    record->places.push_back({home + shape.chunk_size, size});
    for (const auto& [block, image] : move->images) {
      record->places.push_back({home + std::uint64_t{block} * block_size, block_size});
      payload.insert(payload.end(), image.begin(), image.end());
    }
    if (moved) {
      layout::ChunkSlot slot = store_.table_[move->chunk->slot_index];
      slot.home = move->slot.home;
      store_.table_.set(move->chunk->slot_index, std::move(slot));
      const auto page = store_.table_.page_image(move->chunk->slot_index);
      record->places.push_back({store_.table_page_offset(ChunkTable::page_of(move->chunk->slot_index)), page.size()});
      payload.insert(payload.end(), page.begin(), page.end());
    }
    record->payload = shared_bytes(payload);
    store_.reserved_ -= move->cost;
    move->cost = 0;
    store_.append_pages(record);
    move->pages = record;
  }
}

void Mover::finish() {
  const env::Lock lock(*store_.mutex_);
  for (const auto& move : moves_) {
    Chunk& chunk = *move->chunk;
    chunk.tag = std::move(move->tag);
    store_.drop_updates(chunk, move->updates, 0);
    if (!(move->slot.home == move->old_home)) {
      store_.images_.drop_range(store_.unit_offset(move->old_home.first_unit),
                                store_.unit_offset(move->old_home.first_unit + move->old_home.unit_count));
      store_.space_.give_back(move->old_home, move->pages->header.lsn);
      move->old_home = move->slot.home;
    }
    chunk.moving = false;
  }
  moves_.clear();
  store_.unpinned_->notify_all();
  store_.tell_room_grew();
}

}  // namespace parapet::store

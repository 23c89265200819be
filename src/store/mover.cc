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

/// Of the parity chunks of a pass, so many bytes at most, and one at least: their homes are in memory at once.
constexpr std::size_t parity_size_max = 16 << 20;

/// Adds what lies together on the device as one write. Blocks must come in ascending order.
class BlockWrites {
 public:
  BlockWrites(env::IoBatch& io, env::Disk& disk, std::uint64_t home) : io_(io), disk_(disk), home_(home) {}
  ~BlockWrites() { put_run(); }
  void add(std::uint32_t block, SharedBytes bytes) {
    if (run_.size() + first_ != block) {
      put_run();
      first_ = block;
    }
    run_.push_back(std::move(bytes));
  }

 private:
  void put_run() {
    if (run_.empty()) return;
    const env::IoBuffer buffer = run_.size() == 1 ? run_.front() : joined();
    io_.write(disk_, home_ + std::uint64_t{first_} * block_size, buffer);
    run_.clear();
  }
  [[nodiscard]] env::IoBuffer joined() const {
    const env::IoBuffer buffer(run_.size() * block_size);
    for (std::size_t i = 0; i < run_.size(); ++i) std::ranges::copy(run_[i].span(), buffer.data() + i * block_size);
    return buffer;
  }
  env::IoBatch& io_;
  env::Disk& disk_;
  std::uint64_t home_;
  std::uint32_t first_ = 0;
  std::vector<SharedBytes> run_;
};

/// The deltas of updates, XORed together per block of a data chunk.
class CoalescedDeltas {
 public:
  explicit CoalescedDeltas(const std::vector<RecordPtr>& updates) {
    for (const RecordPtr& update : updates) add(*update);
  }

  /// They refer to the bytes of this object and of the updates.
  [[nodiscard]] std::vector<layout::ReservedDelta> list() const {
    std::vector<layout::ReservedDelta> deltas;
    for (const auto& [place, piece] : pieces_)
      deltas.push_back({place.first, place.second * block_size + piece.begin, piece.bytes.span()});
    return deltas;
  }

 private:
  struct Piece {
    std::uint32_t begin = 0;  ///< In the block.
    env::IoBuffer bytes;
  };

  void add(const Record& update) {
    const auto& header = update.header;
    for (std::uint32_t at = 0; at < header.length;) {
      const std::uint32_t offset = header.offset + at;
      const std::uint32_t begin = offset % block_size;
      const std::uint32_t size = std::min(block_size - begin, header.length - at);
      add(pieces_[{header.chain, offset / block_size}], {begin, update.payload.part(at, size)});
      at += size;
    }
  }
  /// The first one of a block is not copied.
  static void add(Piece& piece, const Piece& more) {
    if (piece.bytes.size() == 0) {
      piece = more;
      return;
    }
    const auto end = [](const Piece& p) { return p.begin + static_cast<std::uint32_t>(p.bytes.size()); };
    Piece sum{std::min(piece.begin, more.begin), {}};
    sum.bytes = env::IoBuffer(std::max(end(piece), end(more)) - sum.begin);
    std::ranges::fill(sum.bytes.span(), std::uint8_t{0});
    for (const Piece& part : {piece, more})
      xor_onto(sum.bytes.data() + (part.begin - sum.begin), part.bytes.data(), part.bytes.size());
    piece = sum;
  }

  std::map<std::pair<std::uint32_t, std::uint32_t>, Piece> pieces_;  ///< By chain and block.
};

}  // namespace

Mover::Mover(Store& store, const MovePolicy& policy) : store_(store), policy_(policy) {
  const env::Lock lock(*store.mutex_);
  // A pinned chunk is left for the next pass: waiting for it while others are held could end in a circle.
  std::vector<ChunkPtr> chosen;
  for (const auto& [segment, chunk] : store.dirty_)
    if (chunk->pins == 0 && (chunk->shape.parity ? policy.parity : policy.data)) chosen.push_back(chunk);
  // Those that hold the log back come first.
  std::ranges::sort(chosen, {}, [](const ChunkPtr& chunk) { return chunk->updates.front()->header.lsn; });
  std::size_t parity_size = 0;
  for (const ChunkPtr& chunk : chosen) {
    if (chunk->shape.parity && parity_size >= parity_size_max) continue;
    if (take(chunk) && chunk->shape.parity) parity_size += chunk->shape.chunk_size;
  }
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

bool Mover::take(const ChunkPtr& taken) {
  Chunk& chunk = *taken;
  auto move = std::make_unique<Move>();
  for (const RecordPtr& update : chunk.updates)
    if (update->header.id <= chunk.committed[chunk.shape.chain_index(update->header.chain)] ||
        base::broken(base::Mutant::move_uncommitted))
      move->updates.push_back(update);
  if (move->updates.empty()) return false;
  // What stays behind will need a pages record of its own.
  if (move->updates.size() < chunk.updates.size()) {
    const std::size_t cost = store_.move_cost(chunk);
    if (store_.room() < cost) return false;
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
  return true;
}

Result<void> Mover::write() {
  env::IoBatch io(store_.world_);
  std::vector<Fold> folds;
  for (const auto& move : moves_) {
    if (!move->chunk->shape.parity) {
      write_data(*move, io);
    } else if (!(policy_.into_reserve && write_reserve(*move, io))) {
      folds.push_back({move.get(), ParityFold(store_, *move->chunk), std::nullopt});
    }
  }
  fold(folds, io);
  leave_failed(folds);
  for (const auto& move : moves_) advance_tag(*move);
  if (io.size() == 0) return {};
  io.run_in_parts(background_io_size, store_.world_.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  if (base::broken(base::Mutant::move_without_flush)) return {};
  return store_.flush_device();
}

void Mover::advance_tag(Move& move) {
  const ChunkShape& shape = move.chunk->shape;
  for (const RecordPtr& update : move.updates) {
    move.tag.reserved[shape.chain_index(update->header.chain)] = update->header.id;
    for (std::uint32_t i = 0; i < update->checksums.size(); ++i) {
      const std::uint32_t block = update->header.offset / block_size + i;
      const std::size_t index = shape.parity ? shape.data_checksum_index(update->header.chain, block) : block;
      move.tag.checksums[index] = update->checksums[i];
    }
  }
  if (move.tag.reserve_used == 0) move.tag.home = move.tag.reserved;
}

void Mover::write_data(Move& move, env::IoBatch& io) {
  std::map<std::uint32_t, SharedBytes> newest;
  for (const RecordPtr& update : move.updates)
    for (std::uint32_t i = 0; i < update->checksums.size(); ++i)
      newest[update->header.offset / block_size + i] = update->payload.part(std::size_t{i} * block_size, block_size);
  BlockWrites writes(io, store_.disk_, store_.home_offset(move.slot));
  for (auto& [block, bytes] : newest) writes.add(block, std::move(bytes));
}

bool Mover::write_reserve(Move& move, env::IoBatch& io) {
  const ChunkShape& shape = move.chunk->shape;
  layout::ReserveRecord record;
  record.segment = move.tag.segment;
  record.chunk = move.tag.chunk;
  record.position = move.tag.reserve_used;
  record.from = record.last = move.tag.reserved;
  for (const RecordPtr& update : move.updates) record.last[update->header.chain] = update->header.id;
  const CoalescedDeltas deltas(move.updates);
  record.deltas = deltas.list();
  const std::size_t size = layout::reserve_record_size(record);
  if (size > reserve_capacity(shape, move.slot) - move.tag.reserve_used) return false;
  const env::IoBuffer buffer(size);
  layout::encode_reserve_record(record, buffer.span());
  io.write(store_.disk_, store_.home_offset(move.slot) + reserve_offset(shape) + record.position, buffer);
  move.tag.reserve_used += static_cast<std::uint32_t>(size);
  return true;
}

/// All reserves are read at once, then all homes.
void Mover::fold(std::vector<Fold>& folds, env::IoBatch& io) {
  env::IoBatch reserves(store_.world_);
  for (Fold& fold : folds) fold.content.read_reserve(reserves);
  reserves.run_in_parts(background_io_size, store_.world_.now() + io_time_max);
  env::IoBatch homes(store_.world_);
  for (Fold& fold : folds) {
    if (const auto collected = fold.content.collect(reserves, fold.move->updates); !collected) {
      fold.error = collected.error();
    } else if (const auto placed = place(fold); !placed) {
      fold.error = placed.error();
    } else {
      fold.content.read_home(fold.whole(), homes);
    }
  }
  homes.run_in_parts(background_io_size, store_.world_.now() + io_time_max);
  for (Fold& fold : folds) {
    if (fold.error) continue;
    if (const auto folded = fold.content.fold(homes, fold.move->tag); !folded) {
      fold.error = folded.error();
    } else {
      write_fold(fold, io);
    }
  }
}

/// Small changes go in place, as images through the log; others into units that nobody owns.
Result<void> Mover::place(Fold& fold) {
  Move& move = *fold.move;
  if (!base::broken(base::Mutant::fold_reserve_twice)) move.tag.reserve_used = 0;
  const std::size_t changed = fold.content.changed_size();
  if (changed <= move.chunk->shape.chunk_size / 4 && reserve_images(move, changed)) return {};
  const env::Lock lock(*store_.mutex_);
  const auto home = store_.space_.allocate(move.old_home.unit_count, 0);
  if (!home)
    return Error{.code = ErrorCode::no_space,
                 .operation = "fold",
                 .reason = "no {} contiguous units are free",
                 .values = {move.old_home.unit_count}};
  move.slot.home = *home;
  return {};
}

bool Mover::reserve_images(Move& move, std::size_t image_size) {
  const env::Lock lock(*store_.mutex_);
  const std::size_t cost = image_size + image_size / block_size * sizeof(layout::PagePlace);
  if (store_.room() < cost) return false;
  store_.reserved_ += cost;
  move.cost += cost;
  return true;
}

void Mover::write_fold(Fold& fold, env::IoBatch& io) {
  Move& move = *fold.move;
  const env::IoBuffer& bytes = fold.content.bytes();
  if (fold.whole()) {
    io.write(store_.disk_, store_.home_offset(move.slot), bytes);
    return;
  }
  for (std::size_t i = 0; i < fold.content.blocks().size(); ++i) {
    const std::uint32_t block = fold.content.blocks()[i];
    const env::IoBuffer image = bytes.part(i * block_size, block_size);
    if (base::broken(base::Mutant::fold_in_place)) {
      BlockWrites(io, store_.disk_, store_.home_offset(move.slot)).add(block, image);
    } else {
      move.images.emplace_back(block, image);
    }
  }
}

void Mover::leave_failed(const std::vector<Fold>& folds) {
  for (const Fold& fold : folds) {
    if (!fold.error) continue;
    failures_.push_back({fold.move->tag.segment, fold.move->tag.chunk, *fold.error});
    const env::Lock lock(*store_.mutex_);
    release(*fold.move);
    std::erase_if(moves_, [&](const auto& move) { return move.get() == fold.move; });
  }
}

std::vector<Missed> Mover::missed() const {
  const env::Lock lock(*store_.mutex_);
  std::vector<Missed> result;
  for (const auto& move : moves_) {
    const Code& code = move->chunk->shape.code;
    std::vector<layout::HolderSet> holders_of;
    for (unsigned chain = 0; chain < code.k(); ++chain)
      holders_of.push_back(code.parities_of(chain) | layout::HolderSet{chain});
    layout::HolderSet holders;
    for (const RecordPtr& update : move->updates)
      holders = holders | (holders_of[update->header.chain] - update->header.sent_to) | update->lacking;
    if (!holders.empty()) result.push_back({move->tag.segment, holders});
  }
  return result;
}

void Mover::append(std::span<const Missed> left_out) {
  const env::Lock lock(*store_.mutex_);
  for (const auto& move : moves_) {
    layout::ChunkSlot slot = store_.table_[move->chunk->slot_index];
    const layout::ChunkSlot before = slot;
    slot.home = move->slot.home;
    for (const auto& [segment, holders] : left_out)
      if (segment == slot.segment) slot.missed = slot.missed | holders;
    const ChunkShape& shape = move->chunk->shape;
    const std::uint64_t home = store_.home_offset(move->slot);
    auto record = std::make_shared<Record>();
    record->header.kind = RecordKind::pages;
    const std::size_t size = layout::tag_size(shape.tag);
    Bytes payload(size);
    layout::encode_tag(move->tag, shape.tag, payload);
    record->places.push_back({home + shape.chunk_size, size});
    for (const auto& [block, image] : move->images) {
      record->places.push_back({home + std::uint64_t{block} * block_size, block_size});
      payload.insert(payload.end(), image.data(), image.data() + block_size);
    }
    if (!(slot == before)) {
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

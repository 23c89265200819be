// Small writes: old content, delta, and a record for each holder.
#include <algorithm>
#include <cstring>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"
#include "store/xor_onto.h"

namespace parapet::pool {

using layout::block_size;
using layout::RecordKind;

/// One piece of a write, ready to be logged.
struct Pool::Update {
  Piece piece;
  store::SharedBytes images;  ///< Of the whole blocks that the piece touches.
  store::SharedBytes delta;   ///< Old XOR new, of the piece's bytes.
  std::vector<std::uint32_t> checksums;
  std::vector<store::SharedBytes> blocks;  ///< The images one by one, for the cache.
};

Result<void> Pool::write(layout::SegmentId id, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  if (offset > segment->size() || bytes.size() > segment->size() - offset)
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "write",
                 .reason = "{} bytes from {} on are beyond the segment's {}",
                 .values = {bytes.size(), offset, segment->size()}};
  const auto pieces = pieces_of(*segment, offset, bytes.size());
  std::vector<BlockRange> ranges;
  for (const Piece& piece : pieces)
    ranges.push_back({piece.chunk, piece.first_block(), piece.first_block() + piece.block_count()});
  const RangeLocks::Held held(ranges_, id, std::move(ranges));
  return write_pieces(segment, pieces, bytes);
}

Result<void> Pool::write_pieces(const SegmentPtr& segment, std::span<const Piece> pieces,
                                std::span<const std::uint8_t> bytes) {
  std::vector<BlockRead> old;
  for (const Piece& piece : pieces)
    old.push_back({piece.chunk, piece.first_block(), piece.block_count(),
                   env::IoBuffer(std::size_t{piece.block_count()} * block_size)});
  PARAPET_CHECK(read_blocks(segment, old));
  std::vector<Update> updates;
  for (std::size_t i = 0; i < pieces.size(); ++i)
    updates.push_back(make_update(*segment, pieces[i], old[i].into, bytes.subspan(pieces[i].position)));
  for (const Update& update : updates) PARAPET_CHECK(stage(segment, update));
  return {};
}

/// `old`: the content of the piece's blocks; it becomes the new one.
Pool::Update Pool::make_update(const Segment& segment, const Piece& piece, const env::IoBuffer& old,
                               std::span<const std::uint8_t> fresh) {
  const std::size_t within = piece.offset % block_size;
  const env::IoBuffer delta(piece.length);
  std::memcpy(delta.data(), fresh.data(), piece.length);
  store::xor_onto(delta.data(), old.data() + within, piece.length);
  std::memcpy(old.data() + within, fresh.data(), piece.length);
  Update update{piece, old, delta, {}, {}};
  for (std::uint32_t i = 0; i < piece.block_count(); ++i) {
    const env::IoBuffer image = old.part(std::size_t{i} * block_size, block_size);
    update.checksums.push_back(
        layout::chunk_block_checksum(segment.id, piece.chunk, piece.first_block() + i, image.data()));
    // A block in the cache must not keep its neighbours in memory.
    update.blocks.push_back(piece.block_count() == 1 ? old : store::shared_bytes(image.span()));
  }
  return update;
}

Result<void> Pool::stage(const SegmentPtr& segment, const Update& update) {
  for (;;) {
    layout::HolderSet counting;
    {
      const env::Lock lock(*stage_);
      PARAPET_CHECK(servable(*segment));
      counting = segment->counting;
    }
    std::vector<std::pair<unsigned, std::size_t>> reserved;  // By holder.
    const auto refused = reserve(*segment, update, counting, reserved);
    env::Lock lock(*stage_);
    const bool changed = segment->counting != counting;
    if (refused && !changed && !failure_) {
      append(segment, update, reserved);
      if (staged_size_ > options_.commit_size) return commit_staged(lock);
      if (staged_size_ > options_.commit_size / 8) commit_wanted_->notify_one();
      return {};
    }
    for (const auto& [holder, room] : reserved) segment->holders[holder].store->cancel_reservation(room);
    if (failure_) return *failure_;
    // A device that has gone out refuses; who goes on finds it out of the holders that count.
    if (!changed && refused.error().code != ErrorCode::io_failed) return refused.error();
    if (!changed) wait_for_round(lock);
  }
}

Result<void> Pool::reserve(const Segment& segment, const Update& update, const layout::HolderSet& counting,
                           std::vector<std::pair<unsigned, std::size_t>>& reserved) {
  const unsigned chain = update.piece.chunk;
  for (unsigned holder : segment.holders_of(chain) & counting) {
    const Holder& place = segment.holders[holder];
    const bool data = holder == chain;
    const auto size = layout::record_size(data ? RecordKind::data : RecordKind::delta,
                                          static_cast<std::uint32_t>(update.checksums.size()),
                                          static_cast<std::uint32_t>((data ? update.images : update.delta).size()));
    PARAPET_TRY(const std::size_t room, place.store->reserve_update(*place.chunk, size));
    reserved.emplace_back(holder, room);
  }
  return {};
}

void Pool::append(const SegmentPtr& segment, const Update& update,
                  std::span<const std::pair<unsigned, std::size_t>> reserved) {
  const unsigned chain = update.piece.chunk;
  const layout::HolderSet holders = segment->holders_of(chain) & segment->counting;
  const layout::UpdateId id{ballot_, ++update_counter_};
  for (const auto& [holder, room] : reserved) {
    auto record = std::make_shared<store::Record>();
    record->header.kind = holder == chain ? RecordKind::data : RecordKind::delta;
    record->header.chain = static_cast<std::uint8_t>(chain);
    record->header.segment = segment->id;
    record->header.id = id;
    record->header.from = segment->chains[chain].tip;
    record->header.sent_to = holders;
    record->header.offset = update.piece.offset;
    record->header.length = update.piece.length;
    record->checksums = update.checksums;
    record->payload = holder == chain ? update.images : update.delta;
    const Holder& place = segment->holders[holder];
    if (base::broken(base::Mutant::acknowledge_without_a_holder) && holder == segment->code.n() - 1) {
      place.store->cancel_reservation(room);
      continue;
    }
    place.store->append_update(*place.chunk, record, room);
  }
  segment->chains[chain].tip = id;
  if (!holders.contains(chain))
    for (std::uint32_t i = 0; i < update.checksums.size(); ++i)
      segment->staged[{chain, update.piece.first_block() + i}] = {
          id, update.images.part(std::size_t{i} * block_size, block_size)};
  cache_.put({segment->id, chain, update.piece.first_block()}, update.blocks);
  staged_.push_back({segment, chain, id});
  staged_size_ += update.images.size();
}

}  // namespace parapet::pool

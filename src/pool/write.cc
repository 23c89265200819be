// Small writes: old content, delta, and a record for each holder.
#include <algorithm>
#include <cstring>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"

namespace parapet::pool {

using layout::block_size;
using layout::RecordKind;

/// One piece of a write, ready to be logged.
struct Pool::Update {
  Piece piece;
  store::SharedBytes images;  ///< Of the whole blocks that the piece touches.
  store::SharedBytes delta;   ///< Old XOR new, of the piece's bytes.
  std::vector<std::uint32_t> checksums;
};

namespace {

store::SharedBytes xor_of(const std::uint8_t* a, const std::uint8_t* b, std::size_t size) {
  auto bytes = std::make_shared<store::Bytes>(size);
  for (std::size_t i = 0; i < size; ++i) (*bytes)[i] = a[i] ^ b[i];
  return bytes;
}

}  // namespace

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
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    const std::uint8_t* const fresh = bytes.data() + piece.position;
    const std::size_t within = piece.offset % block_size;
    Update update{piece, nullptr, xor_of(old[i].into.data() + within, fresh, piece.length), {}};
    auto images = std::make_shared<store::Bytes>(old[i].into.data(), old[i].into.data() + old[i].into.size());
    std::memcpy(images->data() + within, fresh, piece.length);
    for (std::uint32_t block = 0; block < piece.block_count(); ++block)
      update.checksums.push_back(layout::chunk_block_checksum(segment->id, piece.chunk, piece.first_block() + block,
                                                              images->data() + std::size_t{block} * block_size));
    update.images = std::move(images);
    updates.push_back(std::move(update));
  }
  return stage(segment, updates);
}

Result<void> Pool::stage(const SegmentPtr& segment, std::vector<Update>& updates) {
  for (Update& update : updates) PARAPET_CHECK(stage_one(segment, update));
  env::Lock lock(*stage_);
  if (staged_size_ > options_.commit_size) return commit_staged(lock);
  return {};
}

Result<void> Pool::stage_one(const SegmentPtr& segment, const Update& update) {
  const unsigned chain = update.piece.chunk;
  for (;;) {
    layout::HolderSet counting;
    std::vector<Holder> holders;
    {
      const env::Lock lock(*stage_);
      PARAPET_CHECK(servable(*segment));
      counting = segment->counting;
      holders = segment->holders;
    }
    std::vector<std::pair<unsigned, std::size_t>> reserved;  // By holder.
    std::optional<Error> refused;
    for (unsigned holder : segment->holders_of(chain) & counting) {
      const Holder& place = holders[holder];
      const bool data = holder == chain;
      const auto size = layout::record_size(data ? RecordKind::data : RecordKind::delta,
                                            static_cast<std::uint32_t>(update.checksums.size()),
                                            static_cast<std::uint32_t>((data ? update.images : update.delta)->size()));
      const auto room = place.store->reserve_update(*place.chunk, size);
      if (room) {
        reserved.emplace_back(holder, *room);
      } else {
        refused = room.error();
        break;
      }
    }
    env::Lock lock(*stage_);
    const bool changed = segment->counting != counting;
    if (refused || changed || failure_) {
      for (const auto& [holder, room] : reserved) holders[holder].store->cancel_reservation(room);
      if (failure_) return *failure_;
      // A device that has gone out refuses; who goes on finds it out of the holders that count.
      if (changed || refused->code == ErrorCode::io_failed) {
        if (!changed) wait_for_round(lock);
        continue;
      }
      return *refused;
    }
    append(segment, update, reserved);
    return {};
  }
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
      segment->staged[{chain, update.piece.first_block() + i}] = {id, update.images, std::size_t{i} * block_size};
  staged_.push_back({segment, chain, id});
  staged_size_ += update.images->size();
}

}  // namespace parapet::pool

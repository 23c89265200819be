#include "store/parity_fold.h"

#include <algorithm>
#include <numeric>

#include "base/try.h"
#include "layout/shard_header.h"
#include "store/xor_onto.h"

namespace parapet::store {

using layout::block_size;

ParityFold::ParityFold(Store& store, Chunk& chunk)
    : store_(store),
      chunk_(chunk),
      changes_(chunk.shape.code, chunk.shape.rows, chunk.shape.chunk - chunk.shape.code.k()) {}

void ParityFold::read_reserve(env::IoBatch& io) {
  if (chunk_.tag.reserve_used > 0) reserve_.emplace(store_, chunk_, std::vector<std::uint32_t>(), true, io);
}

Result<void> ParityFold::collect(const env::IoBatch& io, std::span<const RecordPtr> updates) {
  if (reserve_) {
    PARAPET_CHECK(reserve_->finish(io));
    for (const layout::ReserveRecord& record : reserve_->reserve())
      for (const layout::ReservedDelta& delta : record.deltas) changes_.add(delta.chain, delta.offset, delta.bytes);
  }
  for (const RecordPtr& update : updates)
    changes_.add(update->header.chain, update->header.offset, update->payload.span());
  return {};
}

std::size_t ParityFold::changed_size() const { return changes_.rows().size() * chunk_.shape.rows.row_size(); }

void ParityFold::read_home(bool whole, env::IoBatch& io) {
  if (whole) {
    blocks_.resize(chunk_.shape.block_count);
    std::iota(blocks_.begin(), blocks_.end(), 0u);
  } else {
    for (const auto& [row, bytes] : changes_.rows()) {
      const auto more = chunk_.shape.rows.blocks_of(row);
      blocks_.insert(blocks_.end(), more.begin(), more.end());
    }
    std::ranges::sort(blocks_);
  }
  home_.emplace(store_, chunk_, blocks_, false, io);
}

Result<void> ParityFold::fold(const env::IoBatch& io, layout::ChunkTag& tag) {
  PARAPET_CHECK(home_->finish(io));
  for (const auto& [row, bytes] : changes_.rows()) {
    std::size_t at = 0;
    for (std::uint32_t block : chunk_.shape.rows.blocks_of(row)) {
      const auto index = static_cast<std::size_t>(std::ranges::lower_bound(blocks_, block) - blocks_.begin());
      std::uint8_t* const to = home_->bytes().data() + index * block_size;
      xor_onto(to, bytes.data() + at, block_size);
      tag.checksums[block] = layout::chunk_block_checksum(tag.segment, tag.chunk, block, to);
      at += block_size;
    }
  }
  return {};
}

}  // namespace parapet::store

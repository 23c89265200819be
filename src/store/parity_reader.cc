#include "store/parity_reader.h"

#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "layout/shard_header.h"
#include "store/xor_onto.h"

namespace parapet::store {
namespace {

using layout::block_size;

std::vector<std::uint32_t> blocks_of_rows(const RowGeometry& rows, std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t row = first; row < first + count; ++row) {
    const auto more = rows.blocks_of(row);
    blocks.insert(blocks.end(), more.begin(), more.end());
  }
  return blocks;
}

}  // namespace

ParityReader::ParityReader(Store& store, Chunk& chunk, std::uint32_t first_row, std::uint32_t count,
                           std::vector<layout::UpdateId> vector, env::IoBatch& io)
    : store_(store), chunk_(chunk), first_row_(first_row), count_(count), vector_(std::move(vector)) {
  home_.emplace(store, chunk, blocks_of_rows(chunk.shape.rows, first_row, count), true, io);
}

Result<void> ParityReader::finish(const env::IoBatch& io, std::span<std::uint8_t> into) {
  PARAPET_CHECK(home_->finish(io));
  const RowGeometry& rows = chunk_.shape.rows;
  for (std::size_t i = 0; i < into.size() / block_size; ++i)
    std::memcpy(into.data() + i * block_size, home_->block(i), block_size);

  ParityRows changes(chunk_.shape.code, rows, chunk_.shape.chunk - chunk_.shape.code.k());
  const auto add = [&](unsigned chain, std::size_t offset, std::span<const std::uint8_t> delta) {
    for (std::uint32_t row = first_row_; row < first_row_ + count_; ++row)
      changes.add_in_row(row, chain, offset, delta);
  };
  for (const layout::ReserveRecord& record : home_->reserve())
    for (const layout::ReservedDelta& delta : record.deltas) add(delta.chain, delta.offset, delta.bytes);
  std::vector<RecordPtr> updates;
  {
    const env::Lock lock(*store_.mutex_);
    updates.assign(chunk_.updates.begin(), chunk_.updates.end());
  }
  for (const RecordPtr& update : updates)
    if (update->header.id <= vector_[update->header.chain])
      add(update->header.chain, update->header.offset, update->payload.span());
  for (const auto& [row, bytes] : changes.rows())
    xor_onto(into.data() + (row - first_row_) * rows.row_size(), bytes.data(), bytes.size());
  return {};
}

Pin::Pin(Store& store, Chunk& chunk) : store_(store), chunk_(chunk) {
  env::Lock lock(*store.mutex_);
  while (chunk.moving) store.unpinned_->wait(lock);
  ++chunk.pins;
}

Pin::~Pin() {
  const env::Lock lock(*store_.mutex_);
  --chunk_.pins;
  store_.unpinned_->notify_all();
}

std::uint32_t data_checksum(Store& store, Chunk& parity, unsigned chain, std::uint32_t block, layout::UpdateId upto) {
  const env::Lock lock(*store.mutex_);
  for (auto it = parity.updates.rbegin(); it != parity.updates.rend(); ++it) {
    const auto& header = (*it)->header;
    const std::uint32_t first = header.offset / block_size;
    if (header.chain == chain && header.id <= upto && block >= first && block - first < (*it)->checksums.size())
      return (*it)->checksums[block - first];
  }
  return parity.tag.checksums[parity.shape.data_checksum_index(chain, block)];
}

}  // namespace parapet::store

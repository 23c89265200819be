#include "pool/snapshot.h"

#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "layout/shard_header.h"
#include "store/chunk_reader.h"
#include "store/io_time.h"

namespace parapet::pool {

using layout::block_size;

Snapshot::Snapshot(env::World& world, env::Mutex& stage, std::shared_ptr<Segment> segment)
    : world_(world), segment_(std::move(segment)) {
  {
    const env::Lock lock(stage);
    counting_ = segment_->counting;
    holders_ = segment_->holders;
  }
  for (unsigned holder : counting_) {
    const Holder& place = holders_[holder];
    pins_.push_back(std::make_unique<store::Pin>(*place.store, *place.chunk));
  }
  // Only now, so that no home is beyond the vector.
  const env::Lock lock(stage);
  counting_ = counting_ & segment_->counting;
  for (unsigned holder : layout::HolderSet(counting_))
    if (segment_->holders[holder].chunk != holders_[holder].chunk) counting_.erase(holder);  // Made anew meanwhile.
  for (const Chain& chain : segment_->chains) vector_.push_back(chain.committed);
  staged_ = segment_->staged;
}

const StagedImage* Snapshot::staged(unsigned chunk, std::uint32_t block) const {
  const auto it = staged_.find({chunk, block});
  return it == staged_.end() ? nullptr : &it->second;
}

Result<void> Snapshot::read_row(unsigned chunk, std::uint32_t row, std::span<std::uint8_t> into) {
  const Holder& place = holders_[chunk];
  env::IoBatch io(world_);
  if (chunk >= segment_->code.k()) {
    store::ParityReader reader(*place.store, *place.chunk, row, 1, vector_, io);
    io.run(world_.now() + store::io_time_max);
    return reader.finish(io, into);
  }
  const auto blocks = segment_->rows.blocks_of(row);
  const env::IoBuffer buffer(into.size());
  std::vector<store::ChunkReader> readers;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    readers.emplace_back(*place.store, *place.chunk, blocks[i], 1, buffer.part(i * block_size, block_size),
                         vector_[chunk]);
    readers.back().add_reads(io);
  }
  io.run(world_.now() + store::io_time_max);
  for (const store::ChunkReader& reader : readers) PARAPET_CHECK(reader.finish(io));
  std::memcpy(into.data(), buffer.data(), into.size());
  return {};
}

Result<void> Snapshot::reconstruct_row(unsigned chunk, std::uint32_t row, std::span<std::uint8_t> into) {
  Sources sources;
  layout::HolderSet used;
  PARAPET_CHECK(compute_row(chunk, row, {}, sources, used, into));
  const auto checked = check_row(chunk, row, into);
  if (checked) return {};
  // One source may be old and consistent in itself, after a lost write: without it the row comes out right.
  for (unsigned suspect : used) {
    layout::HolderSet ignored;
    if (!compute_row(chunk, row, {suspect}, sources, ignored, into)) continue;
    if (!check_row(chunk, row, into)) continue;
    unreadable_.insert(suspect);
    return {};
  }
  return checked;
}

/// From the cheapest set of sources without `left_out`; `used`: which.
Result<void> Snapshot::compute_row(unsigned chunk, std::uint32_t row, const layout::HolderSet& left_out,
                                   Sources& sources, layout::HolderSet& used, std::span<std::uint8_t> into) {
  const std::size_t size = segment_->rows.row_size();
  for (;;) {
    const layout::HolderSet available = counting_ - unreadable_ - left_out - layout::HolderSet{chunk};
    PARAPET_TRY(const Plan plan, segment_->code.plan_repair(available, {chunk}, size));
    bool complete = true;
    for (unsigned source : plan.chunks_read()) {
      if (sources.contains(source)) continue;
      std::vector<std::uint8_t> bytes(size);
      if (read_row(source, row, bytes)) {
        sources[source] = std::move(bytes);
      } else {
        unreadable_.insert(source);
        complete = false;
      }
    }
    if (!complete) continue;
    std::vector<ConstRegion> inputs;
    for (const ChunkRange& range : plan.reads())
      inputs.emplace_back(sources[range.chunk].data() + range.offset, range.length);
    const Region output(into.data(), into.size());
    used = plan.chunks_read();
    return plan.run(inputs, {&output, 1});
  }
}

Result<void> Snapshot::data_checksums(unsigned chain, std::span<std::uint32_t> into) {
  const layout::HolderSet keepers = segment_->code.parities_of(chain) & (counting_ - unreadable_);
  if (!keepers.empty()) {
    const Holder& keeper = holders_[*keepers.begin()];
    for (std::uint32_t block = 0; block < into.size(); ++block)
      into[block] = store::data_checksum(*keeper.store, *keeper.chunk, chain, block, vector_[chain]);
    return {};
  }
  std::vector<std::uint8_t> bytes(segment_->rows.row_size());
  for (std::uint32_t row = 0; row < segment_->rows.row_count(); ++row) {
    PARAPET_CHECK(read_row(chain, row, bytes));
    const auto blocks = segment_->rows.blocks_of(row);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      into[blocks[i]] = layout::chunk_block_checksum(segment_->id, chain, blocks[i], bytes.data() + i * block_size);
  }
  return {};
}

Result<void> Snapshot::check_row(unsigned chunk, std::uint32_t row, std::span<const std::uint8_t> bytes) {
  if (chunk >= segment_->code.k()) return {};
  const layout::HolderSet keepers = segment_->code.parities_of(chunk) & (counting_ - unreadable_);
  if (keepers.empty()) return {};
  const Holder& keeper = holders_[*keepers.begin()];
  const auto blocks = segment_->rows.blocks_of(row);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint8_t* block = bytes.data() + i * block_size;
    const std::uint32_t expected = store::data_checksum(*keeper.store, *keeper.chunk, chunk, blocks[i], vector_[chunk]);
    const bool right = expected == layout::checksum_unwritten
                           ? std::all_of(block, block + block_size, [](std::uint8_t byte) { return byte == 0; })
                           : expected == layout::chunk_block_checksum(segment_->id, chunk, blocks[i], block);
    if (!right)
      return Error{.code = ErrorCode::corrupt,
                   .operation = "reconstruct",
                   .reason = "segment {} chunk {} block {} does not come out as it was written",
                   .values = {segment_->id.value, chunk, blocks[i]}};
  }
  return {};
}

}  // namespace parapet::pool

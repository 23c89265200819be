#include "shard/stripe_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"

namespace parapet::shard {
namespace {

using layout::block_size;

}  // namespace

StripeReader::StripeReader(const ShardSet& set, DamageLog& log)
    : set_(&set),
      log_(&log),
      areas_(set.format().code.n()),
      row_buffer_(set.format().code.n(), set.format().rows, set.format().rows.piece_size()) {}

void StripeReader::begin(std::uint64_t stripe) {
  stripe_ = stripe;
  available_ = set_->available(stripe);
  for (Area& area : areas_) area.loaded = false;
}

/// The checksum area of a shard, read at first use in a stripe. One that cannot be read fits no block.
const StripeReader::Area& StripeReader::area(unsigned index) {
  Area& area = areas_[index];
  if (area.loaded) return area;
  const Shard& shard = *set_->shard(index);
  const layout::Striping& striping = set_->format().striping;
  area.bytes.resize(striping.area_size(stripe_));
  area.loaded = true;
  area.intact = shard.file.read(striping.area_offset(stripe_), area.bytes).has_value() &&
                shard.checksums.area_intact(stripe_, area.bytes);
  if (!area.intact) log_->add_area(index, stripe_);
  bytes_read_ += area.bytes.size();
  return area;
}

/// Reads blocks of a shard and checks them. Returns whether all are good; else `bad_blocks_` has those that are not.
bool StripeReader::read_blocks(unsigned index, const Extent& extent, std::span<std::uint8_t> bytes) {
  const Shard& shard = *set_->shard(index);
  const Area& checksums = area(index);
  const std::uint64_t chunk = set_->format().striping.chunk_offset(stripe_);
  const bool readable = shard.file.read(chunk + extent.offset, bytes).has_value();
  bytes_read_ += bytes.size();
  bad_blocks_.clear();
  for (std::size_t done = 0; done < bytes.size(); done += block_size) {
    const auto block = static_cast<std::uint32_t>((extent.offset + done) / block_size);
    const auto part = bytes.subspan(done, block_size);
    // A disk that fails for the whole range may still give most of its blocks.
    const bool got = readable || shard.file.read(chunk + extent.offset + done, part).has_value();
    if (!got || shard.checksums.of(stripe_, block, part.data()) != layout::area_entry(checksums.bytes, block))
      bad_blocks_.push_back(block);
  }
  return bad_blocks_.empty();
}

/// The plan for chunks that are not available; none when there are none.
FileResult<const BlockPlan*> StripeReader::plan_for(const ChunkSet& missing, std::size_t chunk_size) {
  if (missing.empty()) return nullptr;
  if (plan_available_ != available_ || plan_missing_ != missing) plans_.clear();
  plan_available_ = available_;
  plan_missing_ = missing;
  if (const auto known = plans_.find(chunk_size); known != plans_.end()) return &known->second;
  auto plan = plan_blocks(set_->format().code, available_, missing, chunk_size);
  if (!plan && plan.error().code == ErrorCode::too_many_losses) return row_lost(0, available_);
  PARAPET_TRY(BlockPlan made, about(set_->directory(), std::move(plan)));
  return &plans_.emplace(chunk_size, std::move(made)).first->second;
}

/// What to read: the chunks `whole`, and of the others what the plan asks for.
void StripeReader::collect_ranges(std::size_t chunk_size, const ChunkSet& whole, const BlockPlan* plan) {
  ranges_.clear();
  for (const unsigned index : whole) ranges_.push_back({index, 0, chunk_size});
  if (plan == nullptr) return;
  for (const ChunkRange& read : plan->reads)
    if (!whole.contains(read.chunk)) ranges_.push_back(read);
}

bool StripeReader::read_range(const ChunkRange& range, const Slice& slice, const SliceBuffer& buffer) {
  const auto bytes = buffer.chunk(range.chunk, slice).subspan(range.offset, range.length);
  for (std::size_t done = 0; done < range.length;) {
    const Extent extent = slice.extent_at(range.offset + done, range.length - done);
    if (!read_blocks(range.chunk, extent, bytes.subspan(done, extent.length))) return false;
    done += extent.length;
  }
  return true;
}

FileResult<void> StripeReader::read(const Slice& slice, const ChunkSet& wanted, Reading reading,
                                    const SliceBuffer& buffer) {
  rows_good_.clear();
  const std::size_t chunk_size = set_->format().rows.part_count() * slice.length;
  PARAPET_TRY(const BlockPlan* plan, plan_for(wanted - available_, chunk_size));
  collect_ranges(chunk_size, reading == Reading::all ? available_ : wanted & available_, plan);
  const auto read_good = [&](const ChunkRange& range) { return read_range(range, slice, buffer); };
  if (!std::ranges::all_of(ranges_, read_good)) return mend_rows(slice, wanted, buffer);
  return plan != nullptr ? run_plan(plan->plan, slice, buffer) : FileResult<void>{};
}

FileResult<void> StripeReader::run_plan(const Plan& plan, const Slice& slice, const SliceBuffer& buffer) {
  std::vector<ConstRegion> inputs;
  std::vector<Region> outputs;
  for (const ChunkRange& range : plan.reads())
    inputs.emplace_back(buffer.chunk(range.chunk, slice).data() + range.offset, range.length);
  for (const ChunkRange& range : plan.outputs())
    outputs.emplace_back(buffer.chunk(range.chunk, slice).data() + range.offset, range.length);
  return about(set_->directory(), plan.run(inputs, outputs));
}

/// The slow way when something read was bad: reads everything, then mends row by row.
FileResult<void> StripeReader::mend_rows(const Slice& slice, const ChunkSet& wanted, const SliceBuffer& buffer) {
  rows_good_.assign(slice.length / set_->format().rows.piece_size(), available_);
  for (const unsigned index : available_) read_all(index, slice, buffer);
  for (std::size_t row = 0; row < rows_good_.size(); ++row)
    if (const ChunkSet lost = wanted - rows_good_[row]; !lost.empty())
      PARAPET_CHECK(mend_row(row, slice, lost, buffer));
  return {};
}

/// Reads the slice of a chunk and notes which of its rows are bad.
void StripeReader::read_all(unsigned index, const Slice& slice, const SliceBuffer& buffer) {
  const auto bytes = buffer.chunk(index, slice);
  for (std::size_t done = 0; done < bytes.size();) {
    const Extent extent = slice.extent_at(done, bytes.size() - done);
    read_blocks(index, extent, bytes.subspan(done, extent.length));
    for (const std::uint32_t block : bad_blocks_) {
      log_->add_block(index, stripe_, block);
      const std::size_t position = std::size_t{block} * block_size % slice.part_size - slice.position;
      rows_good_[position / set_->format().rows.piece_size()].erase(index);
    }
    done += extent.length;
  }
}

FileResult<void> StripeReader::mend_row(std::size_t row, const Slice& slice, const ChunkSet& lost,
                                        const SliceBuffer& buffer) {
  const auto& [header, code, rows, striping] = set_->format();
  const std::size_t piece_size = rows.piece_size();
  const Slice row_slice{0, piece_size, piece_size};
  const auto offset_of = [&](unsigned part) { return part * slice.length + row * piece_size; };
  const auto piece = [&](unsigned index, unsigned part) {
    return buffer.chunk(index, slice).subspan(offset_of(part), piece_size);
  };
  const auto row_piece = [&](unsigned index, unsigned part) {
    return row_buffer_.chunk(index, row_slice).subspan(part * piece_size, piece_size);
  };
  std::vector<ConstRegion> chunks(code.n());
  for (const unsigned index : rows_good_[row]) {
    for (unsigned part = 0; part < rows.part_count(); ++part)
      std::ranges::copy(piece(index, part), row_piece(index, part).begin());
    chunks[index] = row_buffer_.region(index, row_slice);
  }
  std::vector<IndexedRegion> outputs;
  for (const unsigned index : lost) outputs.push_back({index, row_buffer_.region(index, row_slice)});
  if (auto done = code.reconstruct(chunks, outputs); !done) {
    if (done.error().code != ErrorCode::too_many_losses) return about(set_->directory(), done);
    return row_lost(static_cast<std::uint32_t>(slice.extent_at(offset_of(0), 1).offset / block_size), rows_good_[row]);
  }
  for (const unsigned index : lost) {
    for (unsigned part = 0; part < rows.part_count(); ++part) {
      PARAPET_CHECK(check_piece(index, slice.extent_at(offset_of(part), piece_size).offset, row_piece(index, part)));
      std::ranges::copy(row_piece(index, part), piece(index, part).begin());
    }
  }
  return {};
}

/// Whether a piece that was made from others, at `offset` of its chunk, is as its checksums say where these are known.
FileResult<void> StripeReader::check_piece(unsigned index, std::size_t offset, std::span<const std::uint8_t> piece) {
  if (!available_.contains(index) || !area(index).intact) return {};
  const Shard& shard = *set_->shard(index);
  for (std::size_t done = 0; done < piece.size(); done += block_size) {
    const auto block = static_cast<std::uint32_t>((offset + done) / block_size);
    if (shard.checksums.of(stripe_, block, piece.data() + done) != layout::area_entry(area(index).bytes, block))
      return FileError{{.code = ErrorCode::corrupt,
                        .operation = "reconstruct",
                        .reason = "block {} of stripe {} does not come out as its checksum says; parity is wrong",
                        .values = {block, stripe_}},
                       set_->path_of(shard.name),
                       {}};
  }
  return {};
}

FileError StripeReader::row_lost(std::uint32_t block, const ChunkSet& good) const {
  FileError error = too_many_losses(set_->directory(), "reconstruct", *set_, good);
  error.detail += fmt::format("; at stripe {}, block {}", stripe_, block);
  return error;
}

}  // namespace parapet::shard

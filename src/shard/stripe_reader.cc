#include "shard/stripe_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/try.h"

namespace parapet::shard {
namespace {

using layout::block_size;

}  // namespace

StripeReader::StripeReader(const ShardSet& set, DamageLog& log, std::size_t slice_length)
    : set_(&set),
      log_(&log),
      areas_(set.format().code.n()),
      row_buffer_(set.format().code.n(), set.format().code.alpha(), block_size) {
  rows_good_.reserve(slice_length / block_size);
}

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

std::uint32_t StripeReader::block_at(const Slice& slice, unsigned sub_chunk, std::size_t row) const {
  const std::size_t sub_chunk_size = set_->format().striping.chunk_size(stripe_) / row_buffer_.alpha();
  return static_cast<std::uint32_t>((sub_chunk * sub_chunk_size + slice.position) / block_size + row);
}

/// Reads blocks of a shard and checks them. Returns whether all are good; else `bad_blocks_` has those that are not.
bool StripeReader::read_blocks(unsigned index, std::uint32_t first_block, std::span<std::uint8_t> bytes) {
  const Shard& shard = *set_->shard(index);
  const Area& checksums = area(index);
  const std::uint64_t offset = set_->format().striping.chunk_offset(stripe_) + std::uint64_t{first_block} * block_size;
  const bool readable = shard.file.read(offset, bytes).has_value();
  bytes_read_ += bytes.size();
  bad_blocks_.clear();
  for (std::size_t done = 0; done < bytes.size(); done += block_size) {
    const auto block = static_cast<std::uint32_t>(first_block + done / block_size);
    const auto part = bytes.subspan(done, block_size);
    // A disk that fails for the whole range may still give most of its blocks.
    const bool got = readable || shard.file.read(offset + done, part).has_value();
    if (!got || shard.checksums.of(stripe_, block, part.data()) != layout::area_entry(checksums.bytes, block))
      bad_blocks_.push_back(block);
  }
  return bad_blocks_.empty();
}

FileResult<const Plan*> StripeReader::plan_for(const ChunkSet& missing, std::size_t chunk_size) {
  if (missing.empty()) return nullptr;
  const ChunkSet sources = available_ - missing;
  if (!plan_ || plan_available_ != sources || plan_missing_ != missing || plan_chunk_size_ != chunk_size) {
    auto plan = set_->format().code.plan_repair(sources, missing, chunk_size);
    if (!plan && plan.error().code == ErrorCode::too_many_losses) return row_lost(0, sources);
    PARAPET_TRY(plan_, about(set_->directory(), std::move(plan)));
    plan_available_ = sources;
    plan_missing_ = missing;
    plan_chunk_size_ = chunk_size;
  }
  return &*plan_;
}

/// What to read: the chunks `whole`, and of the others what the plan asks for, in whole blocks.
void StripeReader::collect_ranges(const Slice& slice, const ChunkSet& whole, const Plan* plan) {
  const std::size_t chunk_size = row_buffer_.alpha() * slice.length;
  ranges_.clear();
  for (const unsigned index : whole) ranges_.push_back({index, 0, chunk_size});
  if (plan == nullptr) return;
  for (const ChunkRange& read : plan->reads()) {
    if (whole.contains(read.chunk)) continue;
    const std::size_t begin = read.offset / block_size * block_size;
    const std::size_t end = (read.offset + read.length + block_size - 1) / block_size * block_size;
    ranges_.push_back({read.chunk, begin, end - begin});
  }
}

/// One read for each sub-chunk that the range touches.
bool StripeReader::read_range(const Range& range, const Slice& slice, const SliceBuffer& buffer) {
  const auto bytes = buffer.chunk(range.chunk, slice).subspan(range.offset, range.length);
  for (std::size_t done = 0; done < range.length;) {
    const std::size_t at = range.offset + done;
    const auto sub_chunk = static_cast<unsigned>(at / slice.length);
    const std::size_t length = std::min(range.length - done, (sub_chunk + 1) * slice.length - at);
    const std::uint32_t block = block_at(slice, sub_chunk, at % slice.length / block_size);
    if (!read_blocks(range.chunk, block, bytes.subspan(done, length))) return false;
    done += length;
  }
  return true;
}

FileResult<void> StripeReader::read(const Slice& slice, const ChunkSet& wanted, Reading reading,
                                    const SliceBuffer& buffer) {
  rows_good_.clear();
  const ChunkSet missing = wanted - available_;
  PARAPET_TRY(const Plan* plan, plan_for(missing, row_buffer_.alpha() * slice.length));
  collect_ranges(slice, reading == Reading::all ? available_ : wanted & available_, plan);
  const bool good = std::ranges::all_of(ranges_, [&](const Range& range) { return read_range(range, slice, buffer); });
  if (!good) return mend_rows(slice, wanted, buffer);
  return plan != nullptr ? run_plan(*plan, slice, buffer) : FileResult<void>{};
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

/// The slow way when something read was bad: reads everything, then mends block row by block row.
FileResult<void> StripeReader::mend_rows(const Slice& slice, const ChunkSet& wanted, const SliceBuffer& buffer) {
  rows_good_.assign(slice.length / block_size, available_);
  for (const unsigned index : available_) {
    for (unsigned sub_chunk = 0; sub_chunk < buffer.alpha(); ++sub_chunk) {
      const std::uint32_t first = block_at(slice, sub_chunk, 0);
      if (read_blocks(index, first, buffer.piece(index, sub_chunk, slice))) continue;
      for (const std::uint32_t block : bad_blocks_) {
        log_->add_block(index, stripe_, block);
        rows_good_[block - first].erase(index);
      }
    }
  }
  for (std::size_t row = 0; row < rows_good_.size(); ++row)
    if (const ChunkSet lost = wanted - rows_good_[row]; !lost.empty())
      PARAPET_CHECK(mend_row(row, slice, lost, buffer));
  return {};
}

FileResult<void> StripeReader::mend_row(std::size_t row, const Slice& slice, const ChunkSet& lost,
                                        const SliceBuffer& buffer) {
  const Code& code = set_->format().code;
  const Slice row_slice{0, block_size};
  const auto block_of = [&](unsigned index, unsigned sub_chunk) {
    return buffer.piece(index, sub_chunk, slice).subspan(row * block_size, block_size);
  };
  std::vector<ConstRegion> chunks(code.n());
  for (const unsigned index : rows_good_[row]) {
    for (unsigned sub_chunk = 0; sub_chunk < code.alpha(); ++sub_chunk)
      std::ranges::copy(block_of(index, sub_chunk), row_buffer_.piece(index, sub_chunk, row_slice).begin());
    chunks[index] = row_buffer_.region(index, row_slice);
  }
  std::vector<IndexedRegion> outputs;
  for (const unsigned index : lost) outputs.push_back({index, row_buffer_.region(index, row_slice)});
  if (auto done = code.reconstruct(chunks, outputs); !done) {
    if (done.error().code == ErrorCode::too_many_losses) return row_lost(block_at(slice, 0, row), rows_good_[row]);
    return about(set_->directory(), done);
  }
  for (const unsigned index : lost) {
    for (unsigned sub_chunk = 0; sub_chunk < code.alpha(); ++sub_chunk) {
      const auto bytes = row_buffer_.piece(index, sub_chunk, row_slice);
      const std::uint32_t block = block_at(slice, sub_chunk, row);
      const bool known = available_.contains(index) && area(index).intact;
      if (known && set_->shard(index)->checksums.of(stripe_, block, bytes.data()) !=
                       layout::area_entry(area(index).bytes, block))
        return FileError{{.code = ErrorCode::corrupt,
                          .operation = "reconstruct",
                          .reason = "block {} of stripe {} does not come out as its checksum says; parity is wrong",
                          .values = {block, stripe_}},
                         set_->path_of(set_->shard(index)->name),
                         {}};
      std::ranges::copy(bytes, block_of(index, sub_chunk).begin());
    }
  }
  return {};
}

FileError StripeReader::row_lost(std::uint32_t block, const ChunkSet& good) const {
  FileError error = too_many_losses(set_->directory(), "reconstruct", *set_, good);
  error.detail += fmt::format("; at stripe {}, block {}", stripe_, block);
  return error;
}

}  // namespace parapet::shard

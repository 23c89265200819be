#include "shard/stripe_writer.h"

#include "base/try.h"

namespace parapet::shard {

using layout::block_size;

StripeWriter::StripeWriter(const std::vector<ShardOutput>& outputs, const layout::Striping& striping)
    : outputs_(&outputs), striping_(&striping), areas_(outputs.size()) {
  if (striping.stripe_count() == 0) return;
  for (auto& area : areas_) area.resize(striping.area_size(0));  // No stripe has larger ones than the first.
}

FileResult<void> StripeWriter::write(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer) {
  for (std::size_t i = 0; i < outputs_->size(); ++i) {
    const auto chunk = buffer.chunk((*outputs_)[i].index, slice);
    for (std::size_t done = 0; done < chunk.size();) {
      const Extent extent = slice.extent_at(done, chunk.size() - done);
      PARAPET_CHECK(write_extent(i, stripe, extent.offset, chunk.subspan(done, extent.length)));
      done += extent.length;
    }
  }
  return {};
}

FileResult<void> StripeWriter::write_extent(std::size_t place, std::uint64_t stripe, std::size_t offset,
                                            std::span<const std::uint8_t> bytes) {
  const ShardOutput& output = (*outputs_)[place];
  for (std::size_t done = 0; done < bytes.size(); done += block_size) {
    const auto block = static_cast<std::uint32_t>((offset + done) / block_size);
    layout::set_area_entry(areas_[place], block, output.checksums.of(stripe, block, bytes.data() + done));
  }
  bytes_written_ += bytes.size();
  return output.file->write(striping_->chunk_offset(stripe) + offset, bytes);
}

FileResult<void> StripeWriter::finish(std::uint64_t stripe) {
  const std::size_t block_count = striping_->chunk_size(stripe) / block_size;
  for (std::size_t i = 0; i < outputs_->size(); ++i) {
    const ShardOutput& output = (*outputs_)[i];
    const auto area = std::span(areas_[i]).first(striping_->area_size(stripe));
    output.checksums.seal_area(stripe, block_count, area);
    PARAPET_CHECK(output.file->write(striping_->area_offset(stripe), std::span<const std::uint8_t>(area)));
    bytes_written_ += area.size();
  }
  return {};
}

}  // namespace parapet::shard

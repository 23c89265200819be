#include "shard/file_slice.h"

#include <algorithm>

#include "base/try.h"

namespace parapet::shard {

void FileSlices::collect_parts(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer) {
  parts_.clear();
  for (unsigned chunk = 0; chunk < k_; ++chunk) {
    const auto bytes = buffer.chunk(chunk, slice);
    for (std::size_t done = 0; done < bytes.size();) {
      const Extent extent = slice.extent_at(done, bytes.size() - done);
      ranges_.clear();
      striping_->append_file_ranges(stripe, chunk, extent.offset, extent.length, ranges_);
      for (const layout::FileRange& range : ranges_)
        parts_.push_back({range.file_offset, bytes.subspan(done + range.chunk_offset - extent.offset, range.length)});
      done += extent.length;
    }
  }
  std::ranges::sort(parts_, {}, &Part::file_offset);
}

/// One system call for each run of parts that adjoin in the file.
template <class Transfer>
FileResult<void> FileSlices::transfer(Transfer move) {
  for (std::size_t i = 0; i < parts_.size();) {
    const std::uint64_t begin = parts_[i].file_offset;
    std::uint64_t end = begin;
    for (run_.clear(); i < parts_.size() && parts_[i].file_offset == end; ++i) {
      run_.push_back({parts_[i].bytes.data(), parts_[i].bytes.size()});
      end += parts_[i].bytes.size();
    }
    PARAPET_CHECK(move(begin, std::span(run_)));
    bytes_moved_ += end - begin;
  }
  return {};
}

FileResult<void> FileSlices::read(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer) {
  collect_parts(stripe, slice, buffer);
  if (stripe + 1 == striping_->stripe_count())
    for (unsigned chunk = 0; chunk < k_; ++chunk) std::ranges::fill(buffer.chunk(chunk, slice), std::uint8_t{0});
  return transfer([&](std::uint64_t offset, std::span<iovec> run) { return file_->read(offset, run); });
}

FileResult<void> FileSlices::write(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer) {
  collect_parts(stripe, slice, buffer);
  return transfer([&](std::uint64_t offset, std::span<iovec> run) { return file_->write(offset, run); });
}

}  // namespace parapet::shard

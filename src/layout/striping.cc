#include "layout/striping.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::layout {
namespace {

constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

}  // namespace

std::size_t checksum_area_size(std::size_t chunk_size) {
  const std::size_t checksums = chunk_size / block_size + 1;
  return divide_up(checksums * sizeof(std::uint32_t), block_size) * block_size;
}

Striping::Striping(const ShardHeader& header)
    : file_length_(header.file_length),
      k_(header.k),
      unit_size_(header.unit_size),
      full_chunk_size_(header.chunk_size),
      stripe_count_(divide_up(file_length_, full_chunk_size_ * k_)) {
  if (stripe_count_ == 0) return;
  const std::uint64_t rest = file_length_ - (stripe_count_ - 1) * full_chunk_size_ * k_;
  last_chunk_size_ = divide_up(divide_up(rest, k_), header.granule_size) * header.granule_size;
}

std::size_t Striping::chunk_size(std::uint64_t stripe) const {
  PARAPET_ASSERT(stripe < stripe_count_);
  return stripe + 1 < stripe_count_ ? full_chunk_size_ : last_chunk_size_;
}

std::size_t Striping::area_size(std::uint64_t stripe) const { return checksum_area_size(chunk_size(stripe)); }

std::uint64_t Striping::chunk_offset(std::uint64_t stripe) const {
  return header_size + stripe * (full_chunk_size_ + checksum_area_size(full_chunk_size_));
}

std::uint64_t Striping::area_offset(std::uint64_t stripe) const { return chunk_offset(stripe) + chunk_size(stripe); }

std::uint64_t Striping::stripe_end(std::uint64_t stripe) const { return area_offset(stripe) + area_size(stripe); }

std::uint64_t Striping::shard_size() const { return stripe_count_ == 0 ? header_size : stripe_end(stripe_count_ - 1); }

std::uint64_t Striping::padded_length() const {
  return stripe_count_ == 0 ? 0 : k_ * ((stripe_count_ - 1) * full_chunk_size_ + last_chunk_size_);
}

void Striping::append_file_ranges(std::uint64_t stripe, unsigned chunk, std::size_t offset, std::size_t length,
                                  std::vector<FileRange>& ranges) const {
  const std::size_t size = chunk_size(stripe);
  PARAPET_ASSERT(chunk < k_ && offset <= size && length <= size - offset);
  for (const std::size_t end = offset + length; offset < end;) {
    const std::size_t row = offset / unit_size_ * unit_size_;
    const std::size_t height = std::min(unit_size_, size - row);
    const std::uint64_t row_in_file = stripe * full_chunk_size_ * k_ + std::uint64_t{row} * k_;
    const std::uint64_t file_offset = row_in_file + chunk * std::uint64_t{height} + (offset - row);
    if (file_offset >= file_length_) return;
    const std::size_t part = std::min({end, row + height}) - offset;
    const std::size_t in_file = std::min<std::uint64_t>(part, file_length_ - file_offset);
    ranges.push_back({file_offset, chunk, offset, in_file});
    offset += part;
  }
}

}  // namespace parapet::layout

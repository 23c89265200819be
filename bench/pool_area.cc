#include "bench/pool_area.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

namespace parapet::bench {

Result<void, Failure> Area::grow() {
  PARAPET_TRY(const auto segment, or_failure(bed_.pool().allocate(), "allocating a segment"));
  PARAPET_TRY(const std::uint64_t size, or_failure(bed_.pool().size_of(segment), "asking a segment's size"));
  items_per_segment_ = size / item_size_;
  add(segment);
  return {};
}

void Area::add(layout::SegmentId segment) {
  segments_.push_back(segment);
  versions_.resize(segments_.size() * items_per_segment_);
}

Result<void, Failure> Area::append() {
  const auto bytes = content(item_count(), 1);
  PARAPET_TRY(const auto segment, or_failure(bed_.pool().write_segment(bytes), "writing a segment"));
  add(segment);
  versions_.back() = 1;
  return {};
}

Result<void, Failure> Area::clear() {
  for (const auto segment : segments_) PARAPET_CHECK(or_failure(bed_.pool().remove(segment), "removing a segment"));
  first_serial_ += segments_.size();
  segments_.clear();
  versions_.clear();
  return {};
}

Result<void, Failure> Area::write(std::size_t item) {
  const auto bytes = content(item, versions_[item] + 1);
  PARAPET_CHECK(or_failure(bed_.pool().write(segment_of(item), offset_of(item), bytes), "writing"));
  ++versions_[item];
  return {};
}

Result<void, Failure> Area::write_all() {
  for (std::size_t item = 0; item < versions_.size(); ++item) PARAPET_CHECK(write(item));
  return {};
}

Result<void, Failure> Area::read(std::size_t item, std::span<std::uint8_t> into, std::size_t offset) {
  return or_failure(bed_.pool().read(segment_of(item), offset_of(item) + offset, into), "reading");
}

std::span<const std::uint8_t> Area::content(std::size_t item, std::uint32_t version) const {
  const std::uint64_t serial = first_serial_ + item / items_per_segment_;
  return noise_.item(serial << 16 | item % items_per_segment_, version, item_size_);
}

Result<void, Failure> Area::check_items(std::size_t count) {
  std::vector<std::uint8_t> bytes(item_size_);
  for (std::size_t i = 0; i < std::min(count, versions_.size()); ++i) {
    const std::size_t item = random_.below(versions_.size());
    PARAPET_CHECK(read(item, bytes));
    const bool good = versions_[item] == 0 ? std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; })
                                           : std::ranges::equal(bytes, content(item, versions_[item]));
    if (!good) return fmt::format("item {} of {} bytes holds wrong bytes", item, item_size_);
  }
  return {};
}

Result<void, Failure> Area::verify_segments(std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, segments_.size()); ++i) {
    const auto segment = segments_[random_.below(segments_.size())];
    PARAPET_CHECK(or_failure(bed_.pool().verify(segment), "verifying a segment"));
  }
  return {};
}

}  // namespace parapet::bench

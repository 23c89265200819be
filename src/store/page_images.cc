#include "store/page_images.h"

#include <algorithm>

namespace parapet::store {

void PageImages::add(const RecordPtr& record) {
  std::size_t payload_offset = 0;
  for (const layout::PagePlace& place : record->places) {
    images_.insert_or_assign(place.offset, Image{record, payload_offset, place.size});
    payload_offset += place.size;
  }
}

std::span<const std::uint8_t> PageImages::find(std::uint64_t offset) const {
  const auto it = images_.find(offset);
  return it == images_.end() ? std::span<const std::uint8_t>() : bytes_of(it->second);
}

bool PageImages::newest_before(const Record& record, layout::Lsn lsn) const {
  return std::ranges::all_of(record.places, [&](const layout::PagePlace& place) {
    const auto it = images_.find(place.offset);
    return it == images_.end() || it->second.record->header.lsn < lsn;
  });
}

void PageImages::drop_of(const RecordPtr& record) {
  for (const layout::PagePlace& place : record->places)
    if (const auto it = images_.find(place.offset); it != images_.end() && it->second.record == record)
      images_.erase(it);
}

void PageImages::drop_range(std::uint64_t begin, std::uint64_t end) {
  images_.erase(images_.lower_bound(begin), images_.lower_bound(end));
}

}  // namespace parapet::store

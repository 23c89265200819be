// Images of the device's own blocks that the log has: they count in place of what lies on the device.
//
// Invariant: every image is in a live record of the log, and is the newest one of its place.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "store/record.h"

namespace parapet::store {

/// Not thread-safe: the store's mutex guards it.
class PageImages {
 public:
  /// Takes the images of a pages record; they replace older ones of the same places.
  void add(const RecordPtr& record);
  /// The image of the place that begins at `offset`; empty when there is none.
  [[nodiscard]] std::span<const std::uint8_t> find(std::uint64_t offset) const;
  /// Calls `visit(place offset, bytes)` for the images of `record` that are still the newest.
  template <class Visit>
  void for_each_of(const RecordPtr& record, Visit visit) const {
    for (const layout::PagePlace& place : record->places)
      if (const auto it = images_.find(place.offset); it != images_.end() && it->second.record == record)
        visit(place.offset, bytes_of(it->second));
  }
  /// Whether the newest image of each place of `record` is in a record before `lsn`.
  [[nodiscard]] bool newest_before(const Record& record, layout::Lsn lsn) const;
  /// The images of `record` lie on the device now.
  void drop_of(const RecordPtr& record);
  /// Nobody owns [begin, end) any more.
  void drop_range(std::uint64_t begin, std::uint64_t end);
  /// The places, ascending.
  template <class Visit>
  void for_each_place(Visit visit) const {
    for (const auto& [offset, image] : images_) visit(offset);
  }

 private:
  struct Image {
    RecordPtr record;
    std::size_t payload_offset;
    std::size_t size;
  };
  static std::span<const std::uint8_t> bytes_of(const Image& image) {
    return std::span<const std::uint8_t>(image.record->payload.span()).subspan(image.payload_offset, image.size);
  }
  std::map<std::uint64_t, Image> images_;
};

}  // namespace parapet::store

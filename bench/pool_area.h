// Segments that are overwritten item by item, with a record of what each item must hold.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "bench/pool_bed.h"
#include "bench/pool_noise.h"

namespace parapet::bench {

/// Items of one size in segments of a bed's pool. Threads may write different items at once.
class Area {
 public:
  /// Nothing is in it yet. `bed` and `noise` outlive it. `item_size` divides the size of a segment.
  Area(PoolBed& bed, const Noise& noise, std::size_t item_size) : bed_(bed), noise_(noise), item_size_(item_size) {}

  /// Allocates one more segment, of zeros. For one thread.
  Result<void, Failure> grow();
  /// One more segment, written as a whole; an item is one of them. For one thread.
  Result<void, Failure> append();
  /// Removes all segments.
  Result<void, Failure> clear();
  /// Writes the next version of an item.
  Result<void, Failure> write(std::size_t item);
  /// Writes each item once.
  Result<void, Failure> write_all();
  /// Reads of the item from `offset` on, and nothing more.
  Result<void, Failure> read(std::size_t item, std::span<std::uint8_t> into, std::size_t offset = 0);

  /// Reads up to `count` items, chosen by chance, and compares them. Errors: also a wrong byte.
  Result<void, Failure> check_items(std::size_t count);
  /// Pool::verify of up to `count` segments, chosen by chance.
  Result<void, Failure> verify_segments(std::size_t count);

  [[nodiscard]] std::size_t item_size() const { return item_size_; }
  [[nodiscard]] std::size_t item_count() const { return versions_.size(); }
  [[nodiscard]] std::size_t segment_count() const { return segments_.size(); }

 private:
  /// What version `version` of the item is.
  [[nodiscard]] std::span<const std::uint8_t> content(std::size_t item, std::uint32_t version) const;
  [[nodiscard]] layout::SegmentId segment_of(std::size_t item) const { return segments_[item / items_per_segment_]; }
  void add(layout::SegmentId segment);
  [[nodiscard]] std::uint64_t offset_of(std::size_t item) const { return item % items_per_segment_ * item_size_; }

  PoolBed& bed_;
  const Noise& noise_;
  std::size_t item_size_;
  std::size_t items_per_segment_ = 1;
  std::vector<layout::SegmentId> segments_;
  std::uint64_t first_serial_ = 0;       ///< Of the first segment, so that no content comes twice.
  std::vector<std::uint32_t> versions_;  ///< By item; 0: never written.
  base::Prng random_{7};
};

}  // namespace parapet::bench

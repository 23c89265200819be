// The newest images of blocks that were written last: a small write needs the old content for its delta.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>

#include "env/world.h"
#include "layout/ids.h"
#include "store/record.h"

namespace parapet::pool {

/// Only writers put images in, in the order of their updates, so that an image that is found is the newest one. Any
/// number of threads.
class BlockCache {
 public:
  /// `size_max`: bytes of images that are kept; 0 keeps none.
  BlockCache(env::World& world, std::size_t size_max);

  struct Place {
    layout::SegmentId segment;
    unsigned chunk;
    std::uint32_t block;
    friend bool operator==(const Place&, const Place&) = default;
  };
  /// Copies blocks from `first` on; false when not all are here.
  bool find(const Place& first, std::span<std::uint8_t> into);
  /// `images`: of blocks from `first` on, each one in a buffer of its own.
  void put(const Place& first, std::span<const store::SharedBytes> images);
  void clear();

 private:
  struct Hash {
    std::size_t operator()(const Place& place) const;
  };
  struct Entry {
    Place place;
    store::SharedBytes image;
  };
  std::unique_ptr<env::Mutex> mutex_;
  std::size_t count_max_;
  std::list<Entry> entries_;  ///< Last used first.
  std::unordered_map<Place, std::list<Entry>::iterator, Hash> index_;
};

}  // namespace parapet::pool

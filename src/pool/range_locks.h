// Locks on ranges of blocks, so that overlapping writes come one after another and others at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "env/world.h"
#include "layout/ids.h"

namespace parapet::pool {

/// Blocks [begin, end) of a chunk.
struct BlockRange {
  std::uint32_t chunk = 0;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Any number of threads may use it.
class RangeLocks {
 public:
  explicit RangeLocks(env::World& world) : mutex_(world.make_mutex()), released_(world.make_cond_var()) {}

  /// Holds ranges of a segment until it is destroyed.
  class Held {
   public:
    Held(RangeLocks& locks, layout::SegmentId segment, std::vector<BlockRange> ranges);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    RangeLocks& locks_;
    layout::SegmentId segment_;
    std::vector<BlockRange> ranges_;
  };

 private:
  [[nodiscard]] bool overlaps(layout::SegmentId segment, const std::vector<BlockRange>& ranges) const;
  std::unique_ptr<env::Mutex> mutex_;
  std::unique_ptr<env::CondVar> released_;
  std::map<layout::SegmentId, std::vector<const std::vector<BlockRange>*>> held_;
  unsigned waiting_ = 0;
};

}  // namespace parapet::pool

#include "pool/range_locks.h"

#include <algorithm>

namespace parapet::pool {

bool RangeLocks::overlaps(layout::SegmentId segment, const std::vector<BlockRange>& ranges) const {
  const auto it = held_.find(segment);
  if (it == held_.end()) return false;
  for (const std::vector<BlockRange>* other : it->second)
    for (const BlockRange& a : *other)
      for (const BlockRange& b : ranges)
        if (a.chunk == b.chunk && a.begin < b.end && b.begin < a.end) return true;
  return false;
}

RangeLocks::Held::Held(RangeLocks& locks, layout::SegmentId segment, std::vector<BlockRange> ranges)
    : locks_(locks), segment_(segment), ranges_(std::move(ranges)) {
  env::Lock lock(*locks_.mutex_);
  ++locks_.waiting_;
  while (locks_.overlaps(segment_, ranges_)) locks_.released_->wait(lock);
  --locks_.waiting_;
  locks_.held_[segment_].push_back(&ranges_);
}

RangeLocks::Held::~Held() {
  const env::Lock lock(*locks_.mutex_);
  auto it = locks_.held_.find(segment_);
  std::erase(it->second, &ranges_);
  if (it->second.empty()) locks_.held_.erase(it);
  if (locks_.waiting_ > 0) locks_.released_->notify_all();
}

}  // namespace parapet::pool

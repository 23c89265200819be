#include "pool/block_cache.h"

#include <algorithm>

#include "layout/shard_header.h"

namespace parapet::pool {

using layout::block_size;

std::size_t BlockCache::Hash::operator()(const Place& place) const {
  // The multiplier of splitmix64: neighbours are spread over all buckets.
  const std::uint64_t mixed =
      (place.segment.value * 0x9e3779b97f4a7c15u) ^ (std::uint64_t{place.chunk} << 32 | place.block);
  return mixed * 0xbf58476d1ce4e5b9u >> 16;
}

BlockCache::BlockCache(env::World& world, std::size_t size_max)
    : mutex_(world.make_mutex()), count_max_(size_max / block_size) {}

bool BlockCache::find(const Place& first, std::span<std::uint8_t> into) {
  const env::Lock lock(*mutex_);
  Place place = first;
  for (std::size_t at = 0; at < into.size(); at += block_size, ++place.block) {
    const auto it = index_.find(place);
    if (it == index_.end()) return false;
    entries_.splice(entries_.begin(), entries_, it->second);
    std::ranges::copy(it->second->image.span(), into.data() + at);
  }
  return true;
}

void BlockCache::put(const Place& first, std::span<const store::SharedBytes> images) {
  if (count_max_ == 0) return;
  const env::Lock lock(*mutex_);
  Place place = first;
  for (const store::SharedBytes& image : images) {
    const auto [it, fresh] = index_.try_emplace(place, entries_.end());
    if (fresh) {
      it->second = entries_.insert(entries_.begin(), {place, image});
    } else {
      entries_.splice(entries_.begin(), entries_, it->second);
      it->second->image = image;
    }
    if (entries_.size() > count_max_) {
      index_.erase(entries_.back().place);
      entries_.pop_back();
    }
    ++place.block;
  }
}

void BlockCache::clear() {
  const env::Lock lock(*mutex_);
  index_.clear();
  entries_.clear();
}

}  // namespace parapet::pool

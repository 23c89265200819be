#include "sim/known_segments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/crc32c.h"
#include "simenv/trace.h"

namespace parapet::sim {

using layout::SegmentId;
using simenv::mix;

void KnownSegments::hash_pending(std::uint64_t value) { pending_ = mix(pending_, value + 1); }

void KnownSegments::end_create() {
  created_ = true;
  pending_ = 0;
}

void KnownSegments::begin_allocate() { allocating_ = true; }

void KnownSegments::end_allocate(SegmentId id, std::uint64_t size) {
  allocating_ = false;
  segments_.emplace(id, Known{SegmentModel(size)});
}

void KnownSegments::begin_remove(SegmentId id) { segments_.at(id).removing = true; }

void KnownSegments::end_remove(SegmentId id) { segments_.erase(id); }

void KnownSegments::begin_write(SegmentId id, std::size_t offset, std::span<const std::uint8_t> bytes) {
  segments_.at(id).model.begin_write(offset, bytes);
  hash_pending(id.value);
  hash_pending(offset);
  hash_pending(base::crc32c(0, bytes.data(), bytes.size()));
}

void KnownSegments::end_write(SegmentId id, std::size_t offset, std::size_t size) {
  segments_.at(id).model.end_write(offset, size, ++moment_);
}

void KnownSegments::flushed() {
  for (auto& [id, known] : segments_) known.model.flushed(moment_);
  pending_ = 0;
}

std::optional<SegmentId> KnownSegments::first() const {
  for (const auto& [id, known] : segments_)
    if (!known.removing) return id;
  return std::nullopt;
}

std::optional<std::string> KnownSegments::settle(pool::Pool& pool) {
  const auto list = pool.segments();
  for (auto it = segments_.begin(); it != segments_.end();) {
    const bool there = std::ranges::find(list, it->first) != list.end();
    if (!there && !it->second.removing) return fmt::format("segment {:#x} is gone", it->first.value);
    if (there) it->second.removing = false;
    it = there ? std::next(it) : segments_.erase(it);
  }
  if (auto wrong = settle_list(list, pool)) return wrong;
  created_ = true;
  allocating_ = false;
  pending_ = 0;
  return std::nullopt;
}

std::optional<std::string> KnownSegments::settle_list(std::span<const SegmentId> list, pool::Pool& pool) {
  for (SegmentId id : list) {
    const auto size = pool.size_of(id);
    if (!size) return fmt::format("size_of segment {:#x} fails: {}", id.value, size.error().message());
    if (!segments_.contains(id)) {
      if (!allocating_) return fmt::format("segment {:#x} is there, and should not be", id.value);
      segments_.emplace(id, Known{SegmentModel(*size)});
    }
    Bytes bytes(*size);
    const auto read = pool.read(id, 0, bytes);
    if (!read) return fmt::format("read of segment {:#x} fails: {}", id.value, read.error().message());
    if (const auto wrong = segments_.at(id).model.settle(bytes))
      return fmt::format("segment {:#x}: {}", id.value, *wrong);
  }
  return std::nullopt;
}

std::uint64_t KnownSegments::hash() const {
  std::uint64_t hash = mix(mix(pending_, created_ ? 1 : 0), allocating_ ? 1 : 0);
  for (const auto& [id, known] : segments_) {
    const Bytes bytes = known.model.bytes(0, known.model.size());
    hash = mix(mix(hash, id.value), known.removing ? 1 : 0);
    hash = mix(hash, base::crc32c(0, bytes.data(), bytes.size()));
  }
  return hash;
}

}  // namespace parapet::sim

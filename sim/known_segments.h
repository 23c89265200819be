// What a pool's segments may be and hold, by the contract, in a world whose operations come one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "pool/pool.h"
#include "sim/model.h"

namespace parapet::sim {

/// A value: a copy is what was known at that moment. A moment is the number of the operation.
class KnownSegments {
 public:
  /// Whether the pool must be there.
  void begin_create() { hash_pending(0); }
  void end_create();
  [[nodiscard]] bool created() const { return created_; }

  void begin_allocate();
  void end_allocate(layout::SegmentId id, std::uint64_t size);
  void refuse_allocate() { allocating_ = false; }
  void begin_remove(layout::SegmentId id);
  void end_remove(layout::SegmentId id);
  void begin_write(layout::SegmentId id, std::size_t offset, std::span<const std::uint8_t> bytes);
  void end_write(layout::SegmentId id, std::size_t offset, std::size_t size);
  void flushed();

  /// The first one that is there for certain.
  [[nodiscard]] std::optional<layout::SegmentId> first() const;
  [[nodiscard]] std::size_t size_of(layout::SegmentId id) const { return segments_.at(id).model.size(); }

  /// Compares what the pool has with what may be there, which becomes the truth. Says what is wrong, or nothing.
  std::optional<std::string> settle(pool::Pool& pool);

  /// Equal for equal knowledge; what is not flushed counts by the operations that made it.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  struct Known {
    SegmentModel model;
    bool removing = false;
  };
  void hash_pending(std::uint64_t value);
  std::optional<std::string> settle_list(std::span<const layout::SegmentId> list, pool::Pool& pool);

  bool created_ = false;
  bool allocating_ = false;  ///< A segment may be there that nobody was told of.
  std::map<layout::SegmentId, Known> segments_;
  Moment moment_ = 0;
  std::uint64_t pending_ = 0;  ///< A hash of what happened since the last flush.
};

}  // namespace parapet::sim

// What every function of the C API shares: arguments in, errors out, no exception across.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <vector>

#include "base/try.h"
#include "parapet/codec.h"
#include "parapet/codec_c.h"

namespace parapet::codec {

constexpr int c_code_of(ErrorCode code) { return static_cast<int>(code) + 1; }
static_assert(c_code_of(ErrorCode::invalid_argument) == PARAPET_INVALID_ARGUMENT);
static_assert(c_code_of(ErrorCode::unsupported) == PARAPET_UNSUPPORTED);
static_assert(c_code_of(ErrorCode::too_many_losses) == PARAPET_TOO_MANY_LOSSES);
static_assert(c_code_of(ErrorCode::corrupt) == PARAPET_CORRUPT);
static_assert(c_code_of(ErrorCode::io_failed) == PARAPET_IO_FAILED);
static_assert(c_code_of(ErrorCode::no_space) == PARAPET_NO_SPACE);
static_assert(c_code_of(ErrorCode::not_found) == PARAPET_NOT_FOUND);
static_assert(c_code_of(ErrorCode::already_exists) == PARAPET_ALREADY_EXISTS);
static_assert(c_code_of(ErrorCode::interrupted) == PARAPET_INTERRUPTED);

static_assert(static_cast<int>(RepairGoal::fewest_bytes) == PARAPET_FEWEST_BYTES);
static_assert(static_cast<int>(RepairGoal::fewest_chunks) == PARAPET_FEWEST_CHUNKS);

inline int report(parapet_error* error, int code, int os_errno, const char* message) {
  if (error != nullptr) {
    error->code = code;
    error->os_errno = os_errno;
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

/// Runs `body`, which returns success or an Error of some kind, and turns that into a return value and `*error`.
/// An exception other than these two would be a bug of the library; it ends the process here.
template <class Body>
int guarded(parapet_error* error, Body body) noexcept {
  try {
    const auto result = body();
    if (result) return report(error, PARAPET_OK, 0, "");
    return report(error, c_code_of(result.error().code), result.error().os_errno, result.error().message().c_str());
  } catch (const std::bad_alloc&) {
    return report(error, PARAPET_OUT_OF_MEMORY, 0, "out of memory");
  } catch (const std::length_error&) {
    return report(error, PARAPET_OUT_OF_MEMORY, 0, "out of memory: a list is too long");
  }
}

/// The arguments of one call, turned into those of the C++ API. Lists of usual length live on the stack.
class Arguments {
 public:
  explicit Arguments(const char* operation) : operation_(operation) {}
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  [[nodiscard]] Error wrong(const char* reason, std::uint64_t first = 0, std::uint64_t second = 0) const {
    return {ErrorCode::invalid_argument, operation_, reason, {first, second, 0}, 0};
  }

  Result<void> check_not_null(std::initializer_list<const void*> pointers) const {
    for (const void* pointer : pointers)
      if (pointer == nullptr) return wrong("a required pointer is null");
    return {};
  }

  [[nodiscard]] Result<Region> convert(const parapet_region& region) const {
    PARAPET_TRY(const Memory memory, memory_of(region.memory_kind, region.memory_ordinal));
    return Region(region.data, region.size, memory);
  }
  [[nodiscard]] Result<ConstRegion> convert(const parapet_const_region& region) const {
    PARAPET_TRY(const Memory memory, memory_of(region.memory_kind, region.memory_ordinal));
    return ConstRegion(region.data, region.size, memory);
  }
  [[nodiscard]] Result<IndexedRegion> convert(const parapet_indexed_region& item) const {
    PARAPET_TRY(const Region region, convert(item.region));
    return IndexedRegion{item.index, region};
  }
  [[nodiscard]] Result<ConstIndexedRegion> convert(const parapet_const_indexed_region& item) const {
    PARAPET_TRY(const ConstRegion region, convert(item.region));
    return ConstIndexedRegion{item.index, region};
  }

  [[nodiscard]] Result<RepairGoal> goal(int value) const {
    if (value != PARAPET_FEWEST_BYTES && value != PARAPET_FEWEST_CHUNKS) return wrong("unknown goal of a repair");
    return static_cast<RepairGoal>(value);
  }

  /// Whether a list of indices has room for as many as may come.
  [[nodiscard]] Result<void> check_room(std::size_t capacity, std::size_t needed) const {
    if (capacity < needed) return wrong("room for {} indices, {} are needed", capacity, needed);
    return {};
  }

  /// Converts `count` items, of which no more than `count_max` make sense. The list lives as long as this object.
  template <class To, class From>
  Result<std::pmr::vector<To>> list(const From* items, std::size_t count, std::size_t count_max = chunk_count_max) {
    if (count > 0 && items == nullptr) return wrong("a list of {} items is null", count);
    if (count > count_max) return wrong("a list has {} items, at most {} make sense", count, count_max);
    std::pmr::vector<To> converted(&resource_);
    converted.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      PARAPET_TRY(const To item, convert(items[i]));
      converted.push_back(item);
    }
    return converted;
  }

  /// Converts chunk indices, which must be distinct and below `n`.
  Result<ChunkSet> set(const unsigned* indices, std::size_t count, unsigned n) const {
    if (count > 0 && indices == nullptr) return wrong("a list of {} indices is null", count);
    ChunkSet members;
    for (std::size_t i = 0; i < count; ++i) {
      if (indices[i] >= n) return wrong("chunk index {} is not below {}", indices[i], n);
      if (members.contains(indices[i])) return wrong("chunk index {} is repeated", indices[i]);
      members.insert(indices[i]);
    }
    return members;
  }

 private:
  [[nodiscard]] Result<Memory> memory_of(int kind, int ordinal) const {
    if (kind != PARAPET_MEMORY_HOST && kind != PARAPET_MEMORY_DEVICE) return wrong("unknown kind of memory");
    if (ordinal < 0 || ordinal > 255) return wrong("a memory ordinal is not in 0..255");
    return Memory{kind == PARAPET_MEMORY_HOST ? MemoryKind::host : MemoryKind::device,
                  static_cast<std::uint8_t>(ordinal)};
  }

  const char* operation_;
  std::array<std::byte, 4096> room_;  // uninitialised: clearing it would cost more than the conversion
  std::pmr::monotonic_buffer_resource resource_{room_.data(), room_.size()};
};

}  // namespace parapet::codec

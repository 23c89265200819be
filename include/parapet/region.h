// Byte ranges that belong to the caller and say in which memory they live.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parapet {

/// The kind of memory a region lives in. `device` is a GPU's memory: every operation of this version answers
/// `ErrorCode::unsupported` for it, and none touches it.
enum class MemoryKind : std::uint8_t { host, device };

struct Memory {
  MemoryKind kind = MemoryKind::host;
  std::uint8_t ordinal = 0;  ///< Which device; 0 for host memory.
  friend bool operator==(const Memory&, const Memory&) = default;
};

/// A writable range. Any alignment works; multiples of 64 bytes are fastest.
struct Region {
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  Memory memory = {};

  Region() = default;
  Region(void* bytes, std::size_t byte_count, Memory where = {})
      : data(static_cast<std::uint8_t*>(bytes)), size(byte_count), memory(where) {}
};

/// A range that is only read.
struct ConstRegion {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  Memory memory = {};

  ConstRegion() = default;
  ConstRegion(const void* bytes, std::size_t byte_count, Memory where = {})
      : data(static_cast<const std::uint8_t*>(bytes)), size(byte_count), memory(where) {}
  ConstRegion(const Region& region) : data(region.data), size(region.size), memory(region.memory) {}
};

}  // namespace parapet

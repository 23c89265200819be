// For tests: blocks that say which they are and how new, so that a reader can tell old, new, torn and misplaced.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "base/prng.h"
#include "parapet/pool.h"

namespace parapet::library {

inline constexpr std::size_t pattern_size = 4096;

struct BlockName {
  SegmentId segment;
  std::uint64_t block = 0;
};

/// The `version` of a block, from 1 on; every word of it depends on all three numbers. Version 0 is zeros.
inline void write_pattern(const BlockName& name, std::uint64_t version, std::span<std::uint8_t> bytes) {
  std::memset(bytes.data(), 0, bytes.size());
  if (version == 0) return;
  base::Prng words(name.segment.value * 31 + name.block * 1'000'003 + version * 0x9e3779b97f4a7c15);
  words.fill(bytes.data(), bytes.size());
  std::memcpy(bytes.data(), &version, sizeof version);
}

/// The version that a block has; nothing when it is none of them as a whole.
inline std::optional<std::uint64_t> version_of(const BlockName& name, std::span<const std::uint8_t> bytes) {
  std::uint64_t version = 0;
  std::memcpy(&version, bytes.data(), sizeof version);
  std::uint8_t expected[pattern_size];
  write_pattern(name, version, expected);
  if (std::memcmp(expected, bytes.data(), pattern_size) != 0) return std::nullopt;
  return version;
}

}  // namespace parapet::library

// The identity of a shard set.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace parapet::layout {

/// 16 random bytes, the same in all shards of a set and in no other shard.
struct SetId {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const SetId&, const SetId&) = default;

  /// 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string text() const;
};

}  // namespace parapet::layout

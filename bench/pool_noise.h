// Content that needs no time to make, and that can be told apart from all other content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace parapet::bench {

/// Windows of random bytes, one for each version of each item. Immutable: any number of threads may use it.
class Noise {
 public:
  explicit Noise(std::size_t item_size_max);
  /// What version `version` of item `index` holds. `size` is at most `item_size_max`.
  [[nodiscard]] std::span<const std::uint8_t> item(std::uint64_t index, std::uint32_t version, std::size_t size) const;

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t start_count_;
};

}  // namespace parapet::bench

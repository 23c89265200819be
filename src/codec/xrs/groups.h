// Which data chunks ride on which parity.
#pragma once

#include <cstdint>
#include <vector>

namespace parapet::codec {

/// The groups of XRS(k, m): parity rows 1..m-1 carry data chunks, row 0 none.
class XrsGroups {
 public:
  XrsGroups(unsigned k, unsigned m) : members_(m) {
    for (std::uint32_t i = 0; i < k; ++i) members_[row_of(i)].push_back(i);
  }
  /// The parity row that carries data chunk `i`.
  [[nodiscard]] std::uint32_t row_of(std::uint32_t i) const {
    return 1 + i % static_cast<std::uint32_t>(members_.size() - 1);
  }
  /// The data chunks on parity `row`, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& members(std::uint32_t row) const { return members_[row]; }

 private:
  std::vector<std::vector<std::uint32_t>> members_;
};

}  // namespace parapet::codec

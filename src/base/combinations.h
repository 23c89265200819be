// Choosing r of n.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace parapet::base {

/// n over r, where r <= n, or some number above `limit` when it is larger than that.
inline std::uint64_t binomial(unsigned n, unsigned r, std::uint64_t limit) {
  r = std::min(r, n - r);
  std::uint64_t result = 1;
  for (unsigned i = 1; i <= r && result <= limit; ++i) result = result * (n - r + i) / i;
  return result;
}

/// {0, 1, ..., r-1}.
inline std::vector<unsigned> first_combination(unsigned r) {
  std::vector<unsigned> chosen(r);
  std::iota(chosen.begin(), chosen.end(), 0U);
  return chosen;
}

/// The next combination of as many of 0..n-1, in lexical order; false after the last.
inline bool next_combination(std::vector<unsigned>& chosen, unsigned n) {
  const auto count = static_cast<unsigned>(chosen.size());
  for (unsigned i = count; i-- > 0;) {
    if (chosen[i] == n - count + i) continue;
    std::iota(chosen.begin() + i, chosen.end(), chosen[i] + 1);
    return true;
  }
  return false;
}

}  // namespace parapet::base

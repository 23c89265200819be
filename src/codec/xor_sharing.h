// Fewer XORs for many sums: what several of them have in common is summed once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parapet::codec {

/// Sums over GF(2). Operands 0..source_count-1 are sources; sum i is operand source_count + i. A sum's terms are
/// distinct sources and sums before it; there is at least one.
using XorSums = std::vector<std::vector<std::uint32_t>>;

struct SharedSums {
  XorSums sums;
  std::vector<std::uint32_t> place;  ///< The operand that sum i of the original has become.
};

/// Takes out pairs of terms that occur in many sums, the most frequent first, as Paar, "Optimized arithmetic for
/// Reed-Solomon encoders", ISIT 1997 does; then puts back what is used only once. Deterministic. Sums with too many
/// pairs for this to end soon are left as they are.
SharedSums share_pairs(std::size_t source_count, const XorSums& sums);

}  // namespace parapet::codec

#include "codec/tolerance.h"

#include <numeric>

#include "gf/matrix.h"

namespace parapet::codec {

namespace {

/// n over r, or a number above `limit` when it is larger than that.
std::uint64_t binomial(unsigned n, unsigned r, std::uint64_t limit) {
  std::uint64_t result = 1;
  for (unsigned i = 1; i <= r && result <= limit; ++i) result = result * (n - r + i) / i;
  return result;
}

ChunkSet as_set(const std::vector<unsigned>& chunks) {
  ChunkSet set;
  for (const unsigned chunk : chunks) set.insert(chunk);
  return set;
}

/// The next combination of as many of 0..n-1, in lexical order; false after the last.
bool next_combination(std::vector<unsigned>& chunks, unsigned n) {
  const auto count = static_cast<unsigned>(chunks.size());
  for (unsigned i = count; i-- > 0;) {
    if (chunks[i] == n - count + i) continue;
    std::iota(chunks.begin() + i, chunks.end(), chunks[i] + 1);
    return true;
  }
  return false;
}

}  // namespace

bool bears(const SparseMatrix& checks, unsigned alpha, const ChunkSet& lost) {
  std::vector<std::uint32_t> rows(checks.row_count()), unknowns;
  std::iota(rows.begin(), rows.end(), 0U);
  for (const unsigned chunk : lost)
    for (std::uint32_t sub = 0; sub < alpha; ++sub) unknowns.push_back(chunk * alpha + sub);
  return gf::rank(pick(checks, rows, unknowns)) == unknowns.size();
}

std::optional<PatternCount> count_patterns(const SparseMatrix& checks, unsigned alpha, unsigned n,
                                           unsigned loss_count) {
  PatternCount count{binomial(n, loss_count, pattern_count_max), 0};
  if (count.all > pattern_count_max) return std::nullopt;
  std::vector<unsigned> chunks(loss_count);
  std::iota(chunks.begin(), chunks.end(), 0U);
  do {
    if (!bears(checks, alpha, as_set(chunks))) ++count.lost;
  } while (next_combination(chunks, n));
  return count;
}

}  // namespace parapet::codec

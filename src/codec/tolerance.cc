#include "codec/tolerance.h"

#include <algorithm>
#include <numeric>

#include "base/combinations.h"
#include "gf/matrix.h"

namespace parapet::codec {

namespace {

constexpr std::uint64_t pattern_count_max = 200'000;
constexpr std::uint64_t work_max = 50'000'000'000;  // elements that elimination goes over, most of them zeros

ChunkSet as_set(const std::vector<unsigned>& chunks) {
  ChunkSet set;
  for (const unsigned chunk : chunks) set.insert(chunk);
  return set;
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
  const std::uint64_t unknown_count = std::uint64_t{loss_count} * alpha;
  const std::uint64_t work_of_each = 1 + unknown_count * unknown_count * checks.row_count();
  const std::uint64_t limit = std::min(pattern_count_max, work_max / work_of_each);
  PatternCount count{base::binomial(n, loss_count, limit), 0};
  if (count.all > limit) return std::nullopt;
  std::vector<unsigned> chunks = base::first_combination(loss_count);
  do {
    if (!bears(checks, alpha, as_set(chunks))) ++count.lost;
  } while (base::next_combination(chunks, n));
  return count;
}

}  // namespace parapet::codec

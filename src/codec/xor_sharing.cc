#include "codec/xor_sharing.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "base/assert.h"

namespace parapet::codec {

namespace {

using Terms = std::vector<std::uint32_t>;  // ascending

// A shared pair costs two loads and a store, and saves one load in each sum: below this it does not pay.
constexpr std::uint32_t uses_min = 3;
constexpr std::size_t pair_count_max = 300'000;

std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
}

bool has(const Terms& terms, std::uint32_t term) { return std::binary_search(terms.begin(), terms.end(), term); }
void erase(Terms& terms, std::uint32_t term) { terms.erase(std::lower_bound(terms.begin(), terms.end(), term)); }

/// How often each pair of terms occurs, and which one occurs most.
class PairCounts {
 public:
  void add(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t key = pair_key(a, b);
    const std::uint32_t count = ++counts_[key];
    if (count >= uses_min) queue_.push({count, ~key});
  }
  void remove(std::uint32_t a, std::uint32_t b) { --counts_[pair_key(a, b)]; }

  /// The most frequent pair, the lowest of equals; false when none is frequent enough.
  bool pop(std::uint32_t& a, std::uint32_t& b) {
    while (!queue_.empty()) {
      const auto [count, inverted_key] = queue_.top();
      queue_.pop();
      const std::uint32_t current = counts_[~inverted_key];
      if (current == count) {
        a = static_cast<std::uint32_t>(~inverted_key >> 32);
        b = static_cast<std::uint32_t>(~inverted_key);
        return true;
      }
      if (current >= uses_min && current < count) queue_.push({current, inverted_key});
    }
    return false;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> counts_;
  std::priority_queue<std::pair<std::uint32_t, std::uint64_t>> queue_;  // count, inverted key; some entries are stale
};

class Sharing {
 public:
  Sharing(std::size_t source_count, const XorSums& sums)
      : source_count_(source_count), sum_count_(sums.size()), sums_(sums) {
    for (Terms& terms : sums_) std::sort(terms.begin(), terms.end());
  }

  void share() {
    std::size_t pair_count = 0;
    for (const Terms& terms : sums_) pair_count += terms.size() * terms.size() / 2;
    if (pair_count > pair_count_max) return;
    for (const Terms& terms : sums_)
      for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) counts_.add(terms[i], terms[j]);
    for (std::uint32_t a = 0, b = 0; counts_.pop(a, b);) take_out(a, b);
    put_back_single_uses();
  }

  SharedSums result() {
    SharedSums shared;
    place_.assign(sums_.size(), none);
    for (std::uint32_t i = 0; i < sum_count_; ++i) shared.place.push_back(emit(i, shared.sums));
    return shared;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t operand(std::size_t sum) const { return static_cast<std::uint32_t>(source_count_ + sum); }

  /// The pair becomes a sum of its own, which takes its place wherever it occurs.
  void take_out(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t shared = operand(sums_.size());
    for (Terms& terms : sums_) {
      if (!has(terms, a) || !has(terms, b)) continue;
      erase(terms, a);
      erase(terms, b);
      counts_.remove(a, b);
      for (const std::uint32_t other : terms) {
        counts_.remove(a, other);
        counts_.remove(b, other);
        counts_.add(shared, other);
      }
      terms.push_back(shared);  // the highest so far
    }
    sums_.push_back({std::min(a, b), std::max(a, b)});
  }

  void put_back_single_uses() {
    std::vector<std::uint32_t> uses(sums_.size());
    for (const Terms& terms : sums_)
      for (const std::uint32_t term : terms)
        if (term >= source_count_) ++uses[term - source_count_];
    // A shared sum is used by sums shared later or by original ones, so a later one is put back before it is looked at.
    for (std::size_t shared = sums_.size(); shared-- > sum_count_;) {
      if (uses[shared] != 1) continue;
      for (Terms& terms : sums_) {
        const auto found = std::find(terms.begin(), terms.end(), operand(shared));
        if (found == terms.end()) continue;
        terms.erase(found);
        terms.insert(terms.end(), sums_[shared].begin(), sums_[shared].end());
        break;
      }
      sums_[shared].clear();
    }
  }

  /// Emits a sum after the shared ones that it needs. Original ones that it needs came before.
  std::uint32_t emit(std::uint32_t sum, XorSums& sums) {
    if (place_[sum] != none) return place_[sum];
    Terms terms;
    for (const std::uint32_t term : sums_[sum])
      terms.push_back(term < source_count_ ? term : emit(static_cast<std::uint32_t>(term - source_count_), sums));
    PARAPET_ASSERT(!terms.empty());
    place_[sum] = operand(sums.size());
    sums.push_back(std::move(terms));
    return place_[sum];
  }

  std::size_t source_count_;
  std::size_t sum_count_;  // The original sums come first in `sums_`, then the shared ones.
  XorSums sums_;
  PairCounts counts_;
  std::vector<std::uint32_t> place_;
};

}  // namespace

SharedSums share_pairs(std::size_t source_count, const XorSums& sums) {
  Sharing sharing(source_count, sums);
  sharing.share();
  return sharing.result();
}

}  // namespace parapet::codec

#include "codec/block_order.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::codec {

namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
using Lists = std::vector<std::vector<std::uint32_t>>;

/// Matches every equation with an unknown of its own, by augmenting paths.
class Matching {
 public:
  explicit Matching(const Lists& unknowns_of)
      : unknowns_of_(unknowns_of), unknown_of_(unknowns_of.size(), none), equation_of_(unknowns_of.size(), none) {
    for (std::uint32_t i = 0; i < unknowns_of.size(); ++i) {
      seen_.assign(unknowns_of.size(), false);
      const bool matched = augment(i);
      PARAPET_ASSERT(matched);
    }
  }
  [[nodiscard]] std::uint32_t unknown_of(std::uint32_t equation) const { return unknown_of_[equation]; }
  [[nodiscard]] std::uint32_t equation_of(std::uint32_t unknown) const { return equation_of_[unknown]; }

 private:
  bool augment(std::uint32_t equation) {
    for (const std::uint32_t unknown : unknowns_of_[equation]) {
      if (seen_[unknown]) continue;
      seen_[unknown] = true;
      if (equation_of_[unknown] != none && !augment(equation_of_[unknown])) continue;
      equation_of_[unknown] = equation;
      unknown_of_[equation] = unknown;
      return true;
    }
    return false;
  }

  const Lists& unknowns_of_;
  std::vector<std::uint32_t> unknown_of_;
  std::vector<std::uint32_t> equation_of_;
  std::vector<bool> seen_;
};

/// Tarjan, "Depth-first search and linear graph algorithms", 1972: components come out after those that they need.
class Components {
 public:
  Components(const Lists& unknowns_of, const Matching& matching)
      : unknowns_of_(unknowns_of), matching_(matching), number_(unknowns_of.size(), 0), low_(unknowns_of.size(), 0) {
    for (std::uint32_t i = 0; i < unknowns_of.size(); ++i)
      if (number_[i] == 0) visit(i);
  }
  std::vector<Block> take() { return std::move(blocks_); }

 private:
  static constexpr std::uint32_t done = none;

  void visit(std::uint32_t equation) {
    number_[equation] = low_[equation] = ++last_number_;
    stack_.push_back(equation);
    for (const std::uint32_t unknown : unknowns_of_[equation]) {
      const std::uint32_t needed = matching_.equation_of(unknown);
      if (number_[needed] == 0) visit(needed);
      if (number_[needed] != done) low_[equation] = std::min(low_[equation], low_[needed]);
    }
    if (low_[equation] == number_[equation]) close(equation);
  }

  void close(std::uint32_t root) {
    Block block;
    do {
      block.equations.push_back(stack_.back());
      number_[stack_.back()] = done;
      stack_.pop_back();
    } while (block.equations.back() != root);
    std::sort(block.equations.begin(), block.equations.end());
    for (const std::uint32_t equation : block.equations) block.unknowns.push_back(matching_.unknown_of(equation));
    std::sort(block.unknowns.begin(), block.unknowns.end());
    blocks_.push_back(std::move(block));
  }

  const Lists& unknowns_of_;
  const Matching& matching_;
  std::vector<std::uint32_t> number_;  // 0: not visited
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t last_number_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace

std::vector<Block> block_order(const Lists& unknowns_of) {
  const Matching matching(unknowns_of);
  return Components(unknowns_of, matching).take();
}

}  // namespace parapet::codec

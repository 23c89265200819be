#include "codec/expression_groups.h"

#include <algorithm>
#include <map>

namespace parapet::codec {

namespace {

using Expressions = std::vector<Expression>;

/// The columns of some expressions and what computing them together costs.
class ColumnTally {
 public:
  void add(const Expressions& expressions) {
    row_count_ += expressions.size();
    for (const Expression& expression : expressions)
      for (const Entry& entry : expression.row) add({entry.column, {1, entry.coefficient == 1}});
  }

  /// Products and additions per byte. Adding a column as it is costs a load per row, multiplying it one load and a
  /// product per row. So single ones are added; more of them only where nothing is multiplied at all.
  [[nodiscard]] std::size_t cost() const { return counts_.cost(row_count_); }

  /// The cost together with `other`, which has few columns.
  [[nodiscard]] std::size_t cost_with(const ColumnTally& other) const {
    Counts counts = counts_;
    for (const auto& [column, use] : other.uses_) {
      const auto found = uses_.find(column);
      counts.change(found == uses_.end() ? Use{} : found->second, use);
    }
    return counts.cost(row_count_ + other.row_count_);
  }

  /// The columns that are multiplied, ascending.
  [[nodiscard]] std::vector<std::uint32_t> multiplied() const {
    std::vector<std::uint32_t> columns;
    for (const auto& [column, use] : uses_)
      if (counts_.multiplied > 0 && !use.is_single_one()) columns.push_back(column);
    return columns;
  }

 private:
  struct Use {
    std::size_t count = 0;
    bool only_ones = true;
    [[nodiscard]] bool is_single_one() const { return only_ones && count == 1; }
  };
  struct Counts {
    std::size_t columns = 0;
    std::size_t single_ones = 0;
    std::size_t multiplied = 0;  // columns with an element above one
    std::size_t elements = 0;

    /// A column used as `before` is used as `more` too.
    void change(const Use& before, const Use& more) {
      const Use after{before.count + more.count, before.only_ones && more.only_ones};
      columns += before.count == 0 ? 1 : 0;
      single_ones += (after.is_single_one() ? 1 : 0) - (before.is_single_one() ? 1 : 0);
      multiplied += (after.only_ones ? 0 : 1) - (before.only_ones ? 0 : 1);
      elements += more.count;
    }
    [[nodiscard]] std::size_t cost(std::size_t row_count) const {
      return multiplied == 0 ? elements : single_ones + (columns - single_ones) * row_count;
    }
  };

  void add(const std::pair<std::uint32_t, Use>& entry) {
    Use& use = uses_[entry.first];
    counts_.change(use, entry.second);
    use = {use.count + entry.second.count, use.only_ones && entry.second.only_ones};
  }

  std::map<std::uint32_t, Use> uses_;
  Counts counts_;
  std::size_t row_count_ = 0;
};

ColumnTally tally(const Expressions& expressions) {
  ColumnTally result;
  result.add(expressions);
  return result;
}

class Grouping {
 public:
  void add(const Expressions& block) {
    const std::size_t first_possible = first_group_after(block);
    const std::size_t own_cost = tally(block).cost();
    Choice best{groups_.size(), block, 0};
    for (std::size_t g = first_possible; g < groups_.size(); ++g) consider(best, g, block, own_cost);
    if (first_possible > 0) consider(best, first_possible - 1, substituted(block, first_possible - 1), own_cost);
    if (best.group == groups_.size()) groups_.emplace_back();
    Group& group = groups_[best.group];
    group.tally.add(best.expressions);
    for (Expression& expression : best.expressions) {
      group_of_[expression.unknown] = best.group;
      group.expressions.push_back(std::move(expression));
    }
  }

  std::vector<ExpressionGroup> finish() {
    std::vector<ExpressionGroup> result;
    for (Group& group : groups_) result.push_back({std::move(group.expressions), group.tally.multiplied()});
    return result;
  }

 private:
  struct Group {
    Expressions expressions;
    ColumnTally tally;
  };
  struct Choice {
    std::size_t group;
    Expressions expressions;
    std::ptrdiff_t cost_added;  // compared with a group of its own
  };

  /// The first group that comes after all that the block needs.
  [[nodiscard]] std::size_t first_group_after(const Expressions& block) const {
    std::size_t first = 0;
    for (const Expression& expression : block)
      for (const Entry& entry : expression.row)
        if (const auto found = group_of_.find(entry.column); found != group_of_.end())
          first = std::max(first, found->second + 1);
    return first;
  }

  /// Joins group g if that costs no more than a group of its own, and less than the best so far.
  void consider(Choice& best, std::size_t g, Expressions block, std::size_t own_cost) const {
    const ColumnTally& tally_of_group = groups_[g].tally;
    const auto added = static_cast<std::ptrdiff_t>(tally_of_group.cost_with(tally(block))) -
                       static_cast<std::ptrdiff_t>(tally_of_group.cost() + own_cost);
    const bool is_first = best.group == groups_.size();
    if (is_first ? added <= 0 : added < best.cost_added) best = {g, std::move(block), added};
  }

  /// The block with the sums of group g's unknowns in their place.
  [[nodiscard]] Expressions substituted(const Expressions& block, std::size_t g) const {
    Expressions result;
    for (const Expression& expression : block) {
      Expression sum{expression.unknown, {}};
      for (const Entry& entry : expression.row) {
        const auto found = group_of_.find(entry.column);
        if (found == group_of_.end() || found->second != g)
          add_scaled(sum.row, {&entry, 1}, 1);
        else
          add_scaled(sum.row, row_of(g, entry.column), entry.coefficient);
      }
      result.push_back(std::move(sum));
    }
    return result;
  }

  [[nodiscard]] const SparseRow& row_of(std::size_t g, std::uint32_t unknown) const {
    const Expressions& expressions = groups_[g].expressions;
    return std::find_if(expressions.begin(), expressions.end(),
                        [&](const Expression& expression) { return expression.unknown == unknown; })
        ->row;
  }

  std::vector<Group> groups_;
  std::map<std::uint32_t, std::size_t> group_of_;  // by unknown
};

}  // namespace

std::vector<ExpressionGroup> group_expressions(const std::vector<SolvedBlock>& blocks) {
  Grouping grouping;
  for (const SolvedBlock& block : blocks) grouping.add(block.expressions());
  return grouping.finish();
}

}  // namespace parapet::codec

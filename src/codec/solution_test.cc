// Solving chosen checks, and grouping what comes out: both must give the unknowns of random codewords back.
#include "codec/solution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/test_seeds.h"
#include "codec/check_choice.h"
#include "codec/code_text.h"
#include "codec/expression_groups.h"
#include "codec/families.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

/// A code's map, a random codeword of it with a byte for each sub-chunk, and the solution of a random repair.
struct Case {
  Case(const Oracle& code_oracle, const std::string& text, std::uint64_t seed) : oracle(code_oracle), prng(seed) {
    const CodeText parsed = parse_code_text(text).value();
    const auto family = std::ranges::find(families(), parsed.name, &Family::name);
    code = family->make(parsed, *gf::active_kernels().value()).value();
    const std::size_t multiple = oracle.chunk_size_multiple(), packet = multiple / oracle.alpha();
    for (const Bytes& chunk : random_stripe(oracle, prng, multiple))
      for (std::size_t sub = 0; sub < oracle.alpha(); ++sub) word.push_back(chunk[sub * packet]);
    const ChunkSet lost = random_loss(prng, oracle, 1 + prng.below(oracle.m()));
    task.available = all_chunks(oracle) - lost;
    task.wanted = random_subset(prng, lost, 1 + prng.below(lost.count()));
    task.subs.first = static_cast<std::uint32_t>(prng.below(oracle.alpha()));
    task.subs.last = 1 + task.subs.first + static_cast<std::uint32_t>(prng.below(oracle.alpha() - task.subs.first));
    const auto choice = choose_checks(code->map(), code->shape(), task).value();
    task.available = choice.available;
    blocks = solve_checks(code->map(), code->shape(), task, choice.checks);
  }

  [[nodiscard]] bool is_available(std::uint32_t column) const {
    return task.available.contains(column / oracle.alpha());
  }

  const Oracle& oracle;
  base::Prng prng;
  std::shared_ptr<const CodeImpl> code;
  Bytes word;
  RepairTask task;
  std::vector<SolvedBlock> blocks;
};

/// Computes expressions in turn, from available columns and what was computed before.
class Computed {
 public:
  explicit Computed(const Case& repair) : repair_(repair) {}

  /// All of these at once: none may need another.
  void compute(const std::vector<Expression>& expressions) {
    std::map<std::uint32_t, std::uint8_t> sums;
    for (const Expression& expression : expressions) {
      ASSERT_FALSE(repair_.is_available(expression.unknown));
      std::uint8_t sum = 0;
      for (const Entry& entry : expression.row) {
        ASSERT_TRUE(repair_.is_available(entry.column) || values_.contains(entry.column)) << entry.column;
        sum ^= oracle::times(entry.coefficient, repair_.word[entry.column]);
      }
      ASSERT_EQ(sum, repair_.word[expression.unknown]) << "unknown " << expression.unknown;
      ASSERT_TRUE(sums.emplace(expression.unknown, sum).second);
    }
    for (const auto& [unknown, sum] : sums) ASSERT_TRUE(values_.emplace(unknown, sum).second) << "computed twice";
  }
  void expect_wanted() const {
    for (const std::uint32_t column : wanted_columns(repair_.code->shape(), repair_.task))
      EXPECT_TRUE(values_.contains(column)) << column;
  }

 private:
  const Case& repair_;
  std::map<std::uint32_t, std::uint8_t> values_;
};

class SolutionTest : public FamilyTest {};

TEST_P(SolutionTest, BlocksGiveTheUnknowns) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(8); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Case repair(oracle, code.text(), seed);
      Computed computed(repair);
      for (const SolvedBlock& block : repair.blocks) {
        ASSERT_EQ(block.inverse.row_count(), block.unknowns.size());
        ASSERT_EQ(block.inverse.column_count(), block.syndromes.size());
        ASSERT_NO_FATAL_FAILURE(computed.compute(block.expressions()));
      }
      computed.expect_wanted();
    }
  });
}

TEST_P(SolutionTest, GroupsGiveTheUnknowns) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(8); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const Case repair(oracle, code.text(), seed);
      Computed computed(repair);
      for (const ExpressionGroup& group : group_expressions(repair.blocks)) {
        ASSERT_TRUE(std::ranges::is_sorted(group.multiplied));
        for (const Expression& expression : group.expressions)
          for (const Entry& entry : expression.row)
            ASSERT_TRUE(entry.coefficient == 1 || std::ranges::binary_search(group.multiplied, entry.column))
                << "column " << entry.column << " is added as it is";
        ASSERT_NO_FATAL_FAILURE(computed.compute(group.expressions));
      }
      computed.expect_wanted();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, SolutionTest, testing::ValuesIn(by_family(tiny_codes, small_codes)), family_name);

/// A block of one unknown.
SolvedBlock block_of(std::uint32_t unknown, SparseRow row) {
  return {{unknown}, gf::Matrix::identity(1), {std::move(row)}};
}

TEST(ExpressionGroups, RowsOverTheSameSourcesComeTogether) {
  const auto groups = group_expressions({block_of(10, {{0, 2}, {1, 3}}), block_of(11, {{0, 5}, {1, 7}})});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].multiplied, (std::vector<std::uint32_t>{0, 1}));
}

TEST(ExpressionGroups, RowsOverDifferentSourcesStayApart) {
  const auto groups = group_expressions({block_of(10, {{0, 2}, {1, 3}}), block_of(11, {{2, 5}, {3, 7}})});
  EXPECT_EQ(groups.size(), 2u);
}

TEST(ExpressionGroups, SingleOnesAreAddedAsTheyAre) {
  const auto groups = group_expressions({block_of(10, {{0, 2}, {1, 3}, {2, 1}}), block_of(11, {{0, 5}, {1, 7}})});
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].multiplied, (std::vector<std::uint32_t>{0, 1}));
}

TEST(ExpressionGroups, SumsWithoutFactorsMultiplyNothing) {
  for (const ExpressionGroup& group :
       group_expressions({block_of(10, {{0, 1}, {1, 1}}), block_of(11, {{0, 1}, {10, 1}})}))
    EXPECT_TRUE(group.multiplied.empty());
}

// The second needs the first, but over the same sources: it is written over these and both are one product.
TEST(ExpressionGroups, ASumStandsForAnUnknown) {
  const auto groups = group_expressions({block_of(10, {{0, 2}, {1, 3}}), block_of(11, {{0, 5}, {10, 7}})});
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].expressions.size(), 2u);
  EXPECT_EQ(groups[0].expressions[1].row,
            (SparseRow{{0, static_cast<std::uint8_t>(5 ^ oracle::times(7, 2))}, {1, oracle::times(7, 3)}}));
}

}  // namespace
}  // namespace parapet::codec

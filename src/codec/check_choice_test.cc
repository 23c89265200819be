// Choices of checks against the best of all sets.
#include "codec/check_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "codec/oracle/algebra.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

/// A small code whose checks are sparse, so that choices matter.
LinearMap random_map(base::Prng& prng, const Shape& shape, std::uint64_t values) {
  SparseMatrix generator(std::size_t{shape.k} * shape.alpha);
  for (unsigned i = 0; i < shape.m * shape.alpha; ++i) {
    SparseRow row;
    for (std::uint32_t j = 0; j < shape.k * shape.alpha; ++j)
      if (prng.below(2) == 0) row.push_back({j, static_cast<std::uint8_t>(prng.below(values))});
    generator.add_row(std::move(row));
  }
  return LinearMap::from_generator(std::move(generator));
}

struct Problem {
  Shape shape;
  LinearMap map;
  RepairTask task;
};

Problem random_problem(std::uint64_t seed) {
  base::Prng prng(seed);
  Problem problem;
  problem.shape.alpha = 1 + static_cast<unsigned>(prng.below(4));
  problem.shape.m = 1 + static_cast<unsigned>(prng.below(10 / problem.shape.alpha));
  problem.shape.k = 1 + static_cast<unsigned>(prng.below(5));
  problem.map = random_map(prng, problem.shape, prng.below(2) == 0 ? 2 : 256);
  const ChunkSet all = ChunkSet::range(0, problem.shape.n());
  const ChunkSet lost = random_subset(prng, all, 1 + prng.below(std::min(problem.shape.m, 3u)));
  problem.task.available = all - lost;
  problem.task.wanted = random_subset(prng, lost, 1 + prng.below(lost.count()));
  problem.task.subs.first = static_cast<std::uint32_t>(prng.below(problem.shape.alpha));
  problem.task.subs.last = problem.task.subs.first + 1 +
                           static_cast<std::uint32_t>(prng.below(problem.shape.alpha - problem.task.subs.first));
  problem.task.goal = prng.below(2) == 0 ? RepairGoal::fewest_bytes : RepairGoal::fewest_chunks;
  return problem;
}

/// Whether the rows determine what is wanted: the wanted unit rows are in the span of the rows' unknown parts.
bool suffices(const Problem& problem, const std::vector<std::uint32_t>& rows, const ChunkSet& available) {
  std::vector<std::uint32_t> unknowns;
  for (std::uint32_t column = 0; column < problem.map.checks.column_count(); ++column)
    if (!available.contains(column / problem.shape.alpha)) unknowns.push_back(column);
  std::vector<Bytes> parts;
  for (const std::uint32_t row : rows) {
    parts.emplace_back();
    for (const std::uint32_t column : unknowns) parts.back().push_back(problem.map.checks.at(row, column));
  }
  auto with_wanted = parts;
  for (const unsigned chunk : problem.task.wanted)
    for (std::uint32_t sub = problem.task.subs.first; sub < problem.task.subs.last; ++sub) {
      with_wanted.emplace_back();
      for (const std::uint32_t column : unknowns)
        with_wanted.back().push_back(column == chunk * problem.shape.alpha + sub ? 1 : 0);
    }
  return oracle::rank(parts) == oracle::rank(with_wanted);
}

/// Sub-chunks and chunks that the rows read, in the order of the goal.
std::pair<std::size_t, std::size_t> cost(const Problem& problem, const std::vector<std::uint32_t>& rows,
                                         const ChunkSet& available) {
  std::vector<bool> is_read(problem.map.checks.column_count());
  ChunkSet chunks;
  for (const std::uint32_t row : rows)
    for (const Entry& entry : problem.map.checks.row(row))
      if (available.contains(entry.column / problem.shape.alpha)) {
        is_read[entry.column] = true;
        chunks.insert(entry.column / problem.shape.alpha);
      }
  const auto sub_chunks = static_cast<std::size_t>(std::ranges::count(is_read, true));
  return problem.task.goal == RepairGoal::fewest_bytes ? std::pair(sub_chunks, std::size_t{chunks.count()})
                                                       : std::pair(std::size_t{chunks.count()}, sub_chunks);
}

std::vector<std::uint32_t> members(std::uint32_t set) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; set >> row != 0; ++row)
    if ((set >> row & 1) != 0) rows.push_back(row);
  return rows;
}

TEST(CheckChoice, IsTheBestOfAllSets) {
  unsigned solved = 0;
  for (std::uint64_t seed = 0; seed < base::seed_count(250); ++seed) {
    const Problem problem = random_problem(seed);
    std::optional<std::pair<std::size_t, std::size_t>> best;
    for (std::uint32_t set = 1; set < 1u << problem.map.checks.row_count(); ++set) {
      const auto rows = members(set);
      const auto cost_of_set = cost(problem, rows, problem.task.available);
      if ((!best || cost_of_set < *best) && suffices(problem, rows, problem.task.available)) best = cost_of_set;
    }
    const auto choice = choose_checks(problem.map, problem.shape, problem.task);
    ASSERT_EQ(choice.has_value(), best.has_value()) << "seed " << seed;
    if (!choice) continue;
    ++solved;
    ASSERT_EQ(choice->available, problem.task.available) << "seed " << seed;
    ASSERT_TRUE(suffices(problem, choice->checks, choice->available)) << "seed " << seed;
    ASSERT_EQ(cost(problem, choice->checks, choice->available), *best) << "seed " << seed;
  }
  EXPECT_GT(solved, 50u);
}

// Solving relies on it.
TEST(CheckChoice, DoesWithoutNoneOfItsChecks) {
  for (std::uint64_t seed = 0; seed < base::seed_count(250); ++seed) {
    const Problem problem = random_problem(seed);
    const auto choice = choose_checks(problem.map, problem.shape, problem.task);
    for (std::size_t i = 0; choice && i < choice->checks.size(); ++i) {
      auto rest = choice->checks;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      ASSERT_FALSE(suffices(problem, rest, choice->available)) << "seed " << seed << " check " << choice->checks[i];
    }
  }
}

// Where a check takes another parity, that may be cheaper to do without than to read.
TEST(CheckChoice, SparesParityThatIsCheaperToDoWithout) {
  const Shape shape{.k = 1, .m = 2, .alpha = 1, .tolerance = 2};
  SparseMatrix checks(3);
  checks.add_row({{0, 1}, {1, 1}});          // a copy of the data
  checks.add_row({{0, 1}, {1, 2}, {2, 1}});  // of both of them
  const Problem problem{shape, LinearMap::from_checks(checks, shape), {{0, 1}, {2}, {0, 1}}};
  const auto choice = choose_checks(problem.map, problem.shape, problem.task);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->available.count(), 1u);
  EXPECT_TRUE(suffices(problem, choice->checks, choice->available));
  EXPECT_EQ(cost(problem, choice->checks, choice->available).first, 1u);
}

}  // namespace
}  // namespace parapet::codec

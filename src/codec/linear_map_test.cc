#include "codec/linear_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "codec/oracle/algebra.h"

namespace parapet::codec {
namespace {

SparseMatrix random_generator(base::Prng& prng, const Shape& shape) {
  SparseMatrix generator(std::size_t{shape.k} * shape.alpha);
  for (unsigned i = 0; i < shape.m * shape.alpha; ++i) {
    SparseRow row;
    for (std::uint32_t j = 0; j < shape.k * shape.alpha; ++j)
      row.push_back({j, static_cast<std::uint8_t>(prng.below(2) * prng.below(256))});
    generator.add_row(std::move(row));
  }
  return generator;
}

Shape random_shape(base::Prng& prng) {
  return {.k = 1 + static_cast<unsigned>(prng.below(5)),
          .m = 1 + static_cast<unsigned>(prng.below(4)),
          .alpha = 1 + static_cast<unsigned>(prng.below(3))};
}

/// Data and the parity that the generator makes of them.
Bytes random_codeword(base::Prng& prng, const SparseMatrix& generator) {
  Bytes word(generator.column_count());
  prng.fill(word.data(), word.size());
  const Bytes data = word;
  for (std::size_t i = 0; i < generator.row_count(); ++i) {
    std::uint8_t sum = 0;
    for (const Entry& entry : generator.row(i)) sum ^= oracle::times(entry.coefficient, data[entry.column]);
    word.push_back(sum);
  }
  return word;
}

void expect_zero(const LinearMap& map, const Bytes& word) {
  for (std::size_t i = 0; i < map.checks.row_count(); ++i) {
    std::uint8_t sum = 0;
    for (const Entry& entry : map.checks.row(i)) sum ^= oracle::times(entry.coefficient, word[entry.column]);
    EXPECT_EQ(sum, 0) << "check " << i;
  }
}

void expect_same(const SparseMatrix& a, const SparseMatrix& b) {
  ASSERT_EQ(a.row_count(), b.row_count());
  ASSERT_EQ(a.column_count(), b.column_count());
  for (std::size_t i = 0; i < a.row_count(); ++i) EXPECT_EQ(a.row(i), b.row(i)) << "row " << i;
}

TEST(LinearMap, ChecksOfAGeneratorGiveZero) {
  for (std::uint64_t seed = 0; seed < base::seed_count(50); ++seed) {
    base::Prng prng(seed);
    const Shape shape = random_shape(prng);
    const LinearMap map = LinearMap::from_generator(random_generator(prng, shape));
    EXPECT_EQ(map.checks.row_count(), shape.m * shape.alpha);
    EXPECT_EQ(map.checks.column_count(), shape.n() * shape.alpha);
    expect_zero(map, random_codeword(prng, map.generator));
  }
}

// The generator's checks with multiples of each other added, in the order in which they can be resolved, make the same
// map again, whatever order the parities come in.
TEST(LinearMap, FromChecksIsTheGeneratorThatTheyCameFrom) {
  for (std::uint64_t seed = 0; seed < base::seed_count(100); ++seed) {
    base::Prng prng(seed);
    const Shape shape = random_shape(prng);
    const LinearMap original = LinearMap::from_generator(random_generator(prng, shape));
    std::vector<std::uint32_t> order(shape.m * shape.alpha);
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), prng);
    SparseMatrix checks(original.checks.column_count());
    for (std::size_t i = 0; i < order.size(); ++i) {
      SparseRow row;
      add_scaled(row, original.checks.row(order[i]), static_cast<std::uint8_t>(1 + prng.below(255)));
      for (std::size_t earlier = 0; earlier < i; ++earlier)
        add_scaled(row, original.checks.row(order[earlier]),
                   static_cast<std::uint8_t>(prng.below(2) * prng.below(256)));
      checks.add_row(std::move(row));
    }
    const LinearMap map = LinearMap::from_checks(checks, shape);
    ASSERT_NO_FATAL_FAILURE(expect_same(map.generator, original.generator)) << "seed " << seed;
    ASSERT_NO_FATAL_FAILURE(expect_same(map.checks, checks)) << "seed " << seed;
    expect_zero(map, random_codeword(prng, map.generator));
  }
}

TEST(LinearMap, SumsOfChecksAreChecks) {
  base::Prng prng(1);
  const Shape shape{.k = 4, .m = 3, .alpha = 2};
  LinearMap map = LinearMap::from_generator(random_generator(prng, shape));
  const std::vector<std::uint32_t> rows = {0, 3, 5};
  map.add_sum_of_checks(rows);
  ASSERT_EQ(map.checks.row_count(), 7u);
  for (std::uint32_t column = 0; column < map.checks.column_count(); ++column)
    EXPECT_EQ(map.checks.at(6, column), map.checks.at(0, column) ^ map.checks.at(3, column) ^ map.checks.at(5, column));
  expect_zero(map, random_codeword(prng, map.generator));
}

}  // namespace
}  // namespace parapet::codec

#include "gf/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "gf/reference.h"

namespace parapet::gf {
namespace {

Matrix random_matrix(base::Prng& prng, std::size_t row_count, std::size_t column_count) {
  Matrix result(row_count, column_count);
  for (std::size_t i = 0; i < row_count; ++i) prng.fill(result.row(i).data(), column_count);
  return result;
}

Matrix naive_product(const Matrix& a, const Matrix& b) {
  Matrix result(a.row_count(), b.column_count());
  for (std::size_t i = 0; i < a.row_count(); ++i)
    for (std::size_t j = 0; j < b.column_count(); ++j)
      for (std::size_t l = 0; l < a.column_count(); ++l) result.at(i, j) ^= reference::multiply(a.at(i, l), b.at(l, j));
  return result;
}

std::size_t random_size(base::Prng& prng, std::size_t max) { return 1 + prng.below(max); }

Matrix from_rows(const std::vector<std::vector<std::uint8_t>>& rows) {
  Matrix result(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy(rows[i].begin(), rows[i].end(), result.row(i).begin());
  return result;
}

TEST(Matrix, StartsZeroAndIsRowMajor) {
  Matrix matrix(2, 3);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(matrix.at(i, j), 0);
  matrix.at(1, 2) = 9;
  EXPECT_EQ(matrix.row(1)[2], 9);
  EXPECT_EQ(matrix.row(1).size(), 3u);
  EXPECT_EQ(matrix.row(0).data() + 3, matrix.row(1).data());
}

TEST(Matrix, AddScaledRowAddsTheProducts) {
  std::vector<std::uint8_t> target = {1, 2, 0, 255};
  const std::vector<std::uint8_t> source = {5, 0, 128, 77};
  add_scaled_row(target, source, 2);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{1 ^ 10, 2, 0x1D, 255 ^ 154}));
  add_scaled_row(target, source, 0);
  EXPECT_EQ(target, (std::vector<std::uint8_t>{1 ^ 10, 2, 0x1D, 255 ^ 154}));
}

TEST(Matrix, MultiplyIsRowsTimesColumns) {
  for (std::uint64_t seed = 0; seed < base::seed_count(50); ++seed) {
    base::Prng prng(seed);
    const std::size_t inner = random_size(prng, 12);
    const Matrix a = random_matrix(prng, random_size(prng, 12), inner);
    const Matrix b = random_matrix(prng, inner, random_size(prng, 12));
    ASSERT_EQ(multiply(a, b), naive_product(a, b)) << "seed " << seed;
  }
}

TEST(Matrix, IdentityChangesNothing) {
  base::Prng prng(1);
  const Matrix a = random_matrix(prng, 5, 5);
  EXPECT_EQ(multiply(Matrix::identity(5), a), a);
  EXPECT_EQ(multiply(a, Matrix::identity(5)), a);
}

TEST(Matrix, TheInverseIsTwoSided) {
  std::size_t inverted = 0;
  for (std::uint64_t seed = 0; seed < base::seed_count(100); ++seed) {
    base::Prng prng(seed);
    const std::size_t size = random_size(prng, 40);
    const Matrix matrix = random_matrix(prng, size, size);
    const auto inverse = invert(matrix);
    ASSERT_EQ(inverse.has_value(), rank(matrix) == size) << "seed " << seed;
    if (!inverse) continue;
    ++inverted;
    ASSERT_EQ(naive_product(matrix, *inverse), Matrix::identity(size)) << "seed " << seed;
    ASSERT_EQ(naive_product(*inverse, matrix), Matrix::identity(size)) << "seed " << seed;
  }
  EXPECT_GT(inverted, 90u) << "a random matrix is singular with a probability of 1/255";
}

TEST(Matrix, InvertHandlesZerosOnTheDiagonal) {
  const Matrix matrix = from_rows({{0, 0, 3}, {0, 7, 0}, {1, 0, 0}});
  const auto inverse = invert(matrix);
  ASSERT_TRUE(inverse.has_value());
  EXPECT_EQ(naive_product(matrix, *inverse), Matrix::identity(3));
}

// ISA-L's gf_invert_matrix destroys its input, singular or not; callers who kept it lost data.
TEST(Matrix, ASingularMatrixHasNoInverseAndStaysAsItWas) {
  Matrix matrix = from_rows({{1, 2, 3}, {4, 5, 6}, {5, 7, 5}});
  const Matrix before = matrix;
  EXPECT_FALSE(invert(matrix).has_value());
  EXPECT_EQ(matrix, before);
  EXPECT_FALSE(invert(Matrix(4, 4)).has_value());
  EXPECT_FALSE(invert(Matrix(1, 1)).has_value());
  EXPECT_FALSE(invert(from_rows({{5, 0}, {7, 0}})).has_value());
}

// A product of a (rows x r) and a (r x columns) matrix has at most rank r; random ones nearly always have it.
TEST(Matrix, RankOfAProductOfThinMatrices) {
  for (std::uint64_t seed = 0; seed < base::seed_count(100); ++seed) {
    base::Prng prng(seed);
    const std::size_t inner = random_size(prng, 6);
    // The thin factors hold an identity, so that their rank is full for certain.
    Matrix left = random_matrix(prng, inner + prng.below(5), inner);
    Matrix right = random_matrix(prng, inner, inner + prng.below(5));
    const std::size_t top = prng.below(left.row_count() - inner + 1);
    for (std::size_t i = 0; i < inner; ++i)
      for (std::size_t j = 0; j < inner; ++j) left.at(top + i, j) = right.at(i, j) = i == j ? 1 : 0;
    ASSERT_EQ(rank(naive_product(left, right)), inner) << "seed " << seed;
  }
}

TEST(Matrix, RankOfSmallOnes) {
  EXPECT_EQ(rank(Matrix(3, 4)), 0u);
  EXPECT_EQ(rank(Matrix::identity(7)), 7u);
  EXPECT_EQ(rank(from_rows({{1, 2}, {2, 4}})), 1u) << "the second row is twice the first";
  EXPECT_EQ(rank(from_rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}})), 2u);
}

TEST(Matrix, ExpressGivesTheCombination) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    const Matrix rows = random_matrix(prng, random_size(prng, 14), random_size(prng, 14));
    const Matrix combination = random_matrix(prng, random_size(prng, 5), rows.row_count());
    const Matrix wanted = naive_product(combination, rows);
    const auto expressed = express(wanted, rows);
    ASSERT_TRUE(expressed.has_value()) << "seed " << seed;
    ASSERT_EQ(naive_product(*expressed, rows), wanted) << "seed " << seed;
  }
}

TEST(Matrix, ExpressGivesNothingOutsideTheSpan) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    const Matrix rows = random_matrix(prng, random_size(prng, 8), 9);
    const Matrix wanted = random_matrix(prng, 1, 9);
    Matrix together(rows.row_count() + 1, 9);
    for (std::size_t i = 0; i < rows.row_count(); ++i) std::ranges::copy(rows.row(i), together.row(i).begin());
    std::ranges::copy(wanted.row(0), together.row(rows.row_count()).begin());
    ASSERT_EQ(express(wanted, rows).has_value(), rank(together) == rank(rows)) << "seed " << seed;
  }
  EXPECT_FALSE(express(from_rows({{1, 0}, {0, 1}}), from_rows({{1, 0}})).has_value()) << "one of two is outside";
  EXPECT_TRUE(express(from_rows({{0, 0}}), from_rows({{0, 0}})).has_value()) << "zero is in every span";
}

// Rows that depend on earlier ones are left out, so that cheap sources may be listed first.
TEST(Matrix, ExpressPrefersEarlierRows) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    const std::size_t columns = random_size(prng, 8);
    Matrix rows = random_matrix(prng, columns + 6, columns);
    for (std::size_t i = 0; i < rows.row_count(); ++i)
      if (i > 0 && prng.below(3) == 0) {  // a multiple of an earlier row
        const std::size_t source = prng.below(i);
        const auto factor = static_cast<std::uint8_t>(prng.below(256));
        std::fill(rows.row(i).begin(), rows.row(i).end(), std::uint8_t{0});
        add_scaled_row(rows.row(i), rows.row(source), factor);
      }
    const auto expressed = express(naive_product(random_matrix(prng, 3, rows.row_count()), rows), rows);
    ASSERT_TRUE(expressed.has_value()) << "seed " << seed;
    std::size_t rank_so_far = 0;
    for (std::size_t i = 0; i < rows.row_count(); ++i) {
      Matrix first(i + 1, columns);
      for (std::size_t j = 0; j <= i; ++j) std::ranges::copy(rows.row(j), first.row(j).begin());
      const bool independent = rank(first) > rank_so_far;
      rank_so_far += independent ? 1 : 0;
      for (std::size_t w = 0; w < 3; ++w)
        if (!independent) {
          ASSERT_EQ(expressed->at(w, i), 0) << "seed " << seed << " row " << i;
        }
    }
  }
}

}  // namespace
}  // namespace parapet::gf

#include "codec/sparse_matrix.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "codec/oracle/algebra.h"

namespace parapet::codec {
namespace {

SparseRow random_row(base::Prng& prng, std::uint32_t column_count) {
  SparseRow row;
  for (std::uint32_t column = 0; column < column_count; ++column)
    if (prng.below(3) == 0) row.push_back({column, static_cast<std::uint8_t>(1 + prng.below(255))});
  return row;
}

Bytes dense(const SparseRow& row, std::uint32_t column_count) {
  Bytes result(column_count);
  for (const Entry& entry : row) result[entry.column] = entry.coefficient;
  return result;
}

/// Ascending and without zeros.
bool is_well_formed(const SparseRow& row) {
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i].coefficient == 0 || (i > 0 && row[i - 1].column >= row[i].column)) return false;
  return true;
}

TEST(SparseRow, AddScaledIsTheSum) {
  for (std::uint64_t seed = 0; seed < base::seed_count(300); ++seed) {
    base::Prng prng(seed);
    const auto count = static_cast<std::uint32_t>(1 + prng.below(20));
    SparseRow target = random_row(prng, count);
    const SparseRow source = random_row(prng, count);
    const auto factor = static_cast<std::uint8_t>(prng.below(4) == 0 ? prng.below(2) : prng.below(256));
    Bytes expected = dense(target, count);
    oracle::add_scaled(expected, dense(source, count), factor);
    add_scaled(target, source, factor);
    ASSERT_EQ(dense(target, count), expected) << "seed " << seed;
    ASSERT_TRUE(is_well_formed(target)) << "seed " << seed;
  }
}

TEST(SparseRow, AddedToItselfIsEmpty) {
  SparseRow row = {{1, 7}, {5, 1}};
  add_scaled(row, SparseRow(row), 1);
  EXPECT_TRUE(row.empty());
}

TEST(SparseMatrix, SortsRowsAndLeavesZerosOut) {
  SparseMatrix matrix(10);
  matrix.add_row({{7, 3}, {2, 0}, {0, 1}, {9, 255}});
  matrix.add_row({});
  EXPECT_EQ(matrix.row_count(), 2u);
  EXPECT_EQ(matrix.column_count(), 10u);
  EXPECT_EQ(matrix.row(0), (SparseRow{{0, 1}, {7, 3}, {9, 255}}));
  EXPECT_EQ(matrix.at(0, 7), 3);
  EXPECT_EQ(matrix.at(0, 2), 0);
  EXPECT_EQ(matrix.at(0, 8), 0);
  EXPECT_EQ(matrix.at(1, 0), 0);
}

TEST(SparseMatrix, IsBinaryWhileThereAreOnesOnly) {
  SparseMatrix matrix(3);
  EXPECT_TRUE(matrix.is_binary());
  matrix.add_row({{0, 1}, {2, 1}, {1, 0}});
  EXPECT_TRUE(matrix.is_binary());
  matrix.add_row({{1, 2}});
  EXPECT_FALSE(matrix.is_binary());
}

TEST(SparseMatrix, HoldsADenseMatrixAndGivesPartsOfIt) {
  base::Prng prng(1);
  gf::Matrix matrix(4, 6);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 6; ++j) matrix.at(i, j) = static_cast<std::uint8_t>(prng.below(3));
  const SparseMatrix sparse(matrix);
  ASSERT_EQ(sparse.row_count(), 4u);
  ASSERT_EQ(sparse.column_count(), 6u);
  for (std::uint32_t i = 0; i < 4; ++i)
    for (std::uint32_t j = 0; j < 6; ++j) EXPECT_EQ(sparse.at(i, j), matrix.at(i, j));
  const std::vector<std::uint32_t> rows = {3, 0}, columns = {5, 1, 2};
  const gf::Matrix part = pick(sparse, rows, columns);
  ASSERT_EQ(part.row_count(), 2u);
  ASSERT_EQ(part.column_count(), 3u);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(part.at(i, j), matrix.at(rows[i], columns[j]));
}

}  // namespace
}  // namespace parapet::codec

#include "codec/rs/matrices.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codec/oracle/reed_solomon.h"

namespace parapet::codec {
namespace {

/// All ascending choices of `count` numbers below `limit`; stops when check gives false.
bool for_each_choice(unsigned count, unsigned limit, const std::function<bool(const std::vector<unsigned>&)>& check) {
  std::vector<unsigned> choice(count);
  for (unsigned i = 0; i < count; ++i) choice[i] = i;
  while (true) {
    if (!check(choice)) return false;
    unsigned at = count;
    while (at > 0 && choice[at - 1] == limit - count + at - 1) --at;
    if (at == 0) return true;
    ++choice[at - 1];
    for (unsigned i = at; i < count; ++i) choice[i] = choice[i - 1] + 1;
  }
}

bool is_singular(const gf::Matrix& matrix, const std::vector<unsigned>& rows, const std::vector<unsigned>& columns) {
  gf::Matrix part(rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j) part.at(i, j) = matrix.at(rows[i], columns[j]);
  return gf::rank(part) < rows.size();
}

/// By definition: a systematic code is MDS when every square part of its parity rows is regular.
bool is_mds(const gf::Matrix& matrix) {
  const auto k = static_cast<unsigned>(matrix.column_count());
  const auto m = static_cast<unsigned>(matrix.row_count());
  for (unsigned size = 1; size <= std::min(k, m); ++size) {
    const bool all_regular = for_each_choice(size, m, [&](const std::vector<unsigned>& rows) {
      return for_each_choice(size, k,
                             [&](const std::vector<unsigned>& columns) { return !is_singular(matrix, rows, columns); });
    });
    if (!all_regular) return false;
  }
  return true;
}

TEST(IsalMatrix, TheRuleIsTheBruteForceResultForSmallCodes) {
  for (unsigned k = 1; k <= 8; ++k)
    for (unsigned m = 1; m <= 8; ++m) EXPECT_EQ(isal_matrix_is_mds(k, m), is_mds(isal_matrix(k, m))) << k << "," << m;
}

TEST(IsalMatrix, TheRuleIsTheBruteForceResultAtItsEdges) {
  for (const auto& [k, m] : std::vector<std::pair<unsigned, unsigned>>{{20, 4},
                                                                       {21, 4},
                                                                       {22, 4},
                                                                       {23, 4},
                                                                       {4, 21},
                                                                       {4, 22},
                                                                       {5, 5},
                                                                       {6, 5},
                                                                       {5, 6},
                                                                       {40, 3},
                                                                       {3, 40},
                                                                       {254, 2},
                                                                       {2, 254}})
    EXPECT_EQ(isal_matrix_is_mds(k, m), is_mds(isal_matrix(k, m))) << k << "," << m;
  EXPECT_TRUE(isal_matrix_is_mds(21, 4));
  EXPECT_FALSE(isal_matrix_is_mds(22, 4));
  EXPECT_TRUE(isal_matrix_is_mds(5, 5));
  EXPECT_FALSE(isal_matrix_is_mds(6, 5));
}

// Moving all columns of a part by d multiplies its row r by 2^(r*d), which keeps it regular. So parts with column 0
// stand for all.
TEST(IsalMatrix, ThreeRowsAreMdsUpToTheFieldsEnd) {
  const gf::Matrix matrix = isal_matrix(253, 3);
  EXPECT_TRUE(for_each_choice(2, 252, [&](const std::vector<unsigned>& rest) {
    return !is_singular(matrix, {0, 1, 2}, {0, rest[0] + 1, rest[1] + 1});
  }));
  EXPECT_TRUE(for_each_choice(2, 253, [&](const std::vector<unsigned>& columns) {
    return !is_singular(matrix, {0, 1}, columns) && !is_singular(matrix, {0, 2}, columns) &&
           !is_singular(matrix, {1, 2}, columns);
  }));
}

TEST(Matrices, TheOthersAreMds) {
  for (unsigned k = 1; k <= 7; ++k)
    for (unsigned m = 1; m <= 7; ++m) {
      EXPECT_TRUE(is_mds(cauchy_matrix(k, m))) << k << "," << m;
      EXPECT_TRUE(is_mds(vandermonde_matrix(k, m))) << k << "," << m;
      EXPECT_TRUE(is_mds(jerasure_matrix(k, m))) << k << "," << m;
    }
}

TEST(Matrices, AreTheOracles) {
  const std::pair<const char*, gf::Matrix (*)(unsigned, unsigned)> named[] = {{"cauchy", cauchy_matrix},
                                                                              {"isal", isal_matrix},
                                                                              {"jerasure", jerasure_matrix},
                                                                              {"par1", par1_matrix},
                                                                              {"vandermonde", vandermonde_matrix}};
  for (const auto& [name, make] : named)
    for (const auto& [k, m] : std::vector<std::pair<unsigned, unsigned>>{
             {1, 1}, {1, 9}, {9, 1}, {4, 2}, {12, 4}, {7, 30}, {60, 20}, {128, 128}, {255, 1}, {1, 255}, {252, 4}}) {
      const auto expected = oracle::reed_solomon_matrix(name, k, m);
      const gf::Matrix matrix = make(k, m);
      ASSERT_EQ(matrix.row_count(), m);
      ASSERT_EQ(matrix.column_count(), k);
      for (unsigned r = 0; r < m; ++r)
        ASSERT_EQ(Bytes(matrix.row(r).begin(), matrix.row(r).end()), expected[r])
            << name << " (" << k << "," << m << ") row " << r;
    }
}

}  // namespace
}  // namespace parapet::codec

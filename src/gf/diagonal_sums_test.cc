// Row and diagonal sums against walks over the array, by every implementation that this machine can run.
#include "gf/diagonal_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/aligned_buffer.h"
#include "base/prng.h"
#include "base/test_seeds.h"

namespace parapet::gf {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Array {
  std::size_t rows;
  std::size_t columns;
  std::vector<Bytes> cells;  // column by column

  [[nodiscard]] const Bytes& cell(std::size_t r, std::size_t c) const { return cells[c * rows + r]; }
};

Bytes row_sum(const Array& array, std::size_t r, std::size_t length) {
  Bytes sum(length);
  for (std::size_t c = 0; c < array.columns; ++c)
    for (std::size_t i = 0; i < length; ++i) sum[i] ^= array.cell(r, c)[i];
  return sum;
}

Bytes diagonal_sum(const Array& array, std::size_t d, std::size_t length) {
  Bytes sum(length);
  for (std::size_t c = 0; c < array.columns; ++c)
    for (std::size_t r = 0; r < array.rows; ++r)
      if ((r + c) % (array.rows + 1) == d)
        for (std::size_t i = 0; i < length; ++i) sum[i] ^= array.cell(r, c)[i];
  return sum;
}

Bytes sum_of(Bytes a, const Bytes& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] ^= b[i];
  return a;
}

void check(const Kernels& kernels, const Array& array, DiagonalAddend addend, std::size_t length) {
  std::vector<Bytes> sums(2 * array.rows, Bytes(length, 0xEE));
  std::vector<const std::uint8_t*> cells;
  std::vector<std::uint8_t*> outputs;
  for (const Bytes& cell : array.cells) cells.push_back(cell.data());
  for (Bytes& sum : sums) outputs.push_back(sum.data());
  DiagonalSums(kernels, array.rows, array.columns, addend).run(cells.data(), outputs.data(), length);
  const Bytes last = diagonal_sum(array, array.rows, length);
  for (std::size_t r = 0; r < array.rows; ++r) {
    ASSERT_EQ(sums[r], row_sum(array, r, length)) << "row " << r;
    Bytes expected = diagonal_sum(array, r, length);
    if (addend == DiagonalAddend::last_diagonal) expected = sum_of(expected, last);
    if (addend == DiagonalAddend::next_row_sum && r + 1 < array.rows)
      expected = sum_of(expected, row_sum(array, r + 1, length));
    ASSERT_EQ(sums[array.rows + r], expected) << "diagonal " << r;
  }
}

TEST(DiagonalSums, AreTheSumsOfRowsAndDiagonals) {
  for (const Kernels* kernels : all_kernels()) {
    if (!kernels->supported()) continue;
    for (const std::size_t rows : diagonal_row_counts) {
      if (!DiagonalSums::supports(*kernels, rows)) continue;
      for (std::size_t columns = 1; columns <= 2 * rows + 3; ++columns) {
        base::Prng prng(rows * 100 + columns);
        const std::size_t length = prng.below(300);
        Array array{rows, columns, {}};
        for (std::size_t i = 0; i < rows * columns; ++i) {
          array.cells.emplace_back(length);
          prng.fill(array.cells.back().data(), length);
        }
        for (const DiagonalAddend addend : {DiagonalAddend::next_row_sum, DiagonalAddend::last_diagonal})
          ASSERT_NO_FATAL_FAILURE(check(*kernels, array, addend, length))
              << kernels->name << ", " << rows << " rows, " << columns << " columns, " << length << " bytes";
      }
    }
  }
}

TEST(DiagonalSums, NoOtherRowCountIsSupported) {
  for (const Kernels* kernels : all_kernels())
    for (const std::size_t rows : {1, 3, 5, 8, 11, 16}) EXPECT_FALSE(DiagonalSums::supports(*kernels, rows));
}

TEST(DiagonalSums, DoNotSuitCellsThatShareFewSetsOfTheCache) {
  const base::AlignedBuffer memory(20 * 4096, 4096);
  std::vector<const std::uint8_t*> far, staggered;
  for (std::size_t i = 0; i < 16; ++i) {
    far.push_back(memory.data() + i * 4096);
    staggered.push_back(memory.data() + i * (4096 + 64));
  }
  const DiagonalSums sums(scalar_kernels, 4, 4, DiagonalAddend::next_row_sum);
  EXPECT_FALSE(sums.suits(far.data()));
  EXPECT_TRUE(sums.suits(staggered.data()));
}

}  // namespace
}  // namespace parapet::gf

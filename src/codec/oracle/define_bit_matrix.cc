// Jerasure's codes: a chunk has w sub-chunks, and each parity sub-chunk is a sum of data sub-chunks.
#include <algorithm>
#include <bit>

#include "codec/oracle/definition.h"
#include "codec/oracle/word_field.h"

namespace parapet::codec::oracle {

namespace {

/// For each parity and data chunk the ones of a w x w matrix: blocks[i][j][row] lists the columns.
using Block = std::vector<std::vector<unsigned>>;
using Blocks = std::vector<std::vector<Block>>;
using Elements = std::vector<std::vector<std::uint32_t>>;

Block identity(unsigned w) {
  Block block(w);
  for (unsigned row = 0; row < w; ++row) block[row] = {row};
  return block;
}

/// Multiplication by an element: x^column becomes element * x^column.
Block multiplication(std::uint32_t element, const WordField& field) {
  Block block(field.w());
  for (unsigned column = 0; column < field.w(); ++column)
    for (unsigned row = 0; row < field.w(); ++row)
      if ((field.times(element, std::uint32_t{1} << column) >> row & 1) != 0) block[row].push_back(column);
  return block;
}

unsigned ones(std::uint32_t element, const WordField& field) {
  unsigned count = 0;
  for (const auto& row : multiplication(element, field)) count += static_cast<unsigned>(row.size());
  return count;
}

/// Plank, Xu 2006: X = {0, ..., m-1} and Y = {m, ..., m+k-1}.
Elements cauchy(unsigned k, unsigned m, const WordField& field) {
  Elements rows(m, std::vector<std::uint32_t>(k));
  for (unsigned x = 0; x < m; ++x)
    for (unsigned y = m; y < m + k; ++y) rows[x][y - m] = field.inverse(x ^ y);
  return rows;
}

/// For two parities and w <= 11: ones, and the k elements with fewest ones in their matrices, smaller ones first.
Elements best_of_two(unsigned k, const WordField& field) {
  std::vector<std::pair<unsigned, std::uint32_t>> elements;
  for (std::uint32_t element = 1; element < 1U << field.w(); ++element)
    elements.emplace_back(ones(element, field), element);
  std::ranges::sort(elements);
  Elements rows(2, std::vector<std::uint32_t>(k, 1));
  for (unsigned j = 0; j < k; ++j) rows[1][j] = elements[j].second;
  return rows;
}

/// Plank, Xu 2006, "good" matrices: each column divided by its element in the first row; then each other row divided by
/// one of its elements where that leaves fewer ones, by the best and of equals the first.
Elements good_cauchy(unsigned k, unsigned m, const WordField& field) {
  if (m == 2 && field.w() <= 11) return best_of_two(k, field);
  const Elements original = cauchy(k, m, field);
  Elements rows = original;
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < k; ++j) rows[i][j] = field.times(original[i][j], field.inverse(original[0][j]));
  for (unsigned i = 1; i < m; ++i) {
    const auto row_over = [&](std::uint32_t divisor) {
      auto result = rows[i];
      for (std::uint32_t& element : result) element = field.times(element, field.inverse(divisor));
      return result;
    };
    const auto ones_over = [&](std::uint32_t divisor) {
      unsigned count = 0;
      for (const std::uint32_t element : row_over(divisor)) count += ones(element, field);
      return count;
    };
    std::uint32_t best = 1;
    for (const std::uint32_t divisor : rows[i])
      if (ones_over(divisor) < ones_over(best)) best = divisor;
    rows[i] = row_over(best);
  }
  return rows;
}

Blocks cauchy_blocks(const Elements& elements, const WordField& field) {
  Blocks blocks;
  for (const auto& row : elements) {
    blocks.emplace_back();
    for (const std::uint32_t element : row) blocks.back().push_back(multiplication(element, field));
  }
  return blocks;
}

/// Plank 2008, definition of X_i: the identity with its columns moved by i, and for i > 0 one more one in row
/// y = i (w-1) / 2 and column y + i - 1, modulo w.
Block liberation(unsigned i, unsigned w) {
  Block block(w);
  for (unsigned row = 0; row < w; ++row) block[row] = {(row + i) % w};
  const unsigned y = i * (w - 1) / 2 % w;
  if (i > 0) block[y].push_back((y + i - 1) % w);
  return block;
}

/// Blaum, Roth 1999: rows and columns are the residues 1..w modulo p = w + 1. Row r has its one in column
/// r + i; row -i, whose one would be in column 0, has ones in columns i and i / 2. Where p is even and i odd there is
/// no half: then Jerasure takes (p + i + 1) / 2.
Block blaum_roth(unsigned i, unsigned w) {
  if (i == 0) return identity(w);
  const unsigned p = w + 1;
  unsigned half = (p + i + 1) / 2;
  for (unsigned candidate = w; candidate > 0; --candidate)
    if (2 * candidate % p == i) half = candidate;
  Block block(w);
  for (unsigned r = 1; r <= w; ++r) block[r - 1] = {(r + i) % p - 1};
  block[p - i - 1] = {i - 1, half - 1};
  return block;
}

/// Plank, NCA 2008: each matrix is a permutation with one more one. columns[i][row] is the column of a
/// row's one; the last two numbers are the row and column of the one besides.
Block liber8tion(unsigned i) {
  static constexpr unsigned columns[8][10] = {{0, 1, 2, 3, 4, 5, 6, 7, 0, 0}, {7, 3, 0, 2, 6, 1, 5, 4, 4, 7},
                                              {6, 2, 4, 0, 7, 3, 1, 5, 1, 3}, {2, 5, 7, 6, 0, 3, 4, 1, 5, 4},
                                              {5, 6, 1, 7, 2, 4, 3, 0, 2, 0}, {1, 2, 3, 4, 5, 6, 7, 0, 7, 2},
                                              {3, 0, 6, 5, 1, 7, 4, 2, 6, 5}, {4, 7, 1, 5, 3, 2, 0, 6, 3, 1}};
  Block block(8);
  for (unsigned row = 0; row < 8; ++row) block[row] = {columns[i][row]};
  if (i > 0) block[columns[i][8]].push_back(columns[i][9]);
  return block;
}

unsigned word_size(const CodeName& name) {
  const unsigned k = name.numbers[0];
  if (name.family == "liberation") return name.option("w", prime_from(std::max(k, 3U)));
  if (name.family == "blaum_roth") return name.option("w", prime_from(std::max(k, 2U) + 1) - 1);
  return name.option("w", 8);
}

Blocks blocks_of(const CodeName& name, unsigned k, unsigned m, unsigned w) {
  if (name.family == "cauchy_orig") return cauchy_blocks(cauchy(k, m, WordField(w)), WordField(w));
  if (name.family == "cauchy_good") return cauchy_blocks(good_cauchy(k, m, WordField(w)), WordField(w));
  Blocks blocks{std::vector<Block>(k, identity(w)), {}};
  for (unsigned i = 0; i < k; ++i)
    blocks[1].push_back(name.family == "liberation"   ? liberation(i, w)
                        : name.family == "blaum_roth" ? blaum_roth(i, w)
                                                      : liber8tion(i));
  return blocks;
}

}  // namespace

Definition define_bit_matrix(const CodeName& name) {
  const unsigned k = name.numbers[0], m = name.numbers[1], w = word_size(name);
  const Encode encode = [blocks = blocks_of(name, k, m, w), k, m, w](const Columns& data) {
    Columns parity = zeros(m, w, data);
    for (unsigned i = 0; i < m; ++i)
      for (unsigned j = 0; j < k; ++j)
        for (unsigned row = 0; row < w; ++row)
          for (const unsigned column : blocks[i][j][row]) add(parity[i][row], data[j][column]);
    return parity;
  };
  return {.k = k,
          .m = m,
          .alpha = w,
          .packet_size = name.option("packetsize", 0),
          .is_mds = !name.options.contains("unsafe"),
          .encode = encode};
}

}  // namespace parapet::codec::oracle

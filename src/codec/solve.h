// Erasure decoding as linear algebra: wanted rows from data that are known and parities that are at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gf/matrix.h"

namespace parapet::codec {

/// Each wanted row is: sum of coefficients(i, j) * source j, the sources being the data columns, then the parity rows.
struct Solution {
  std::vector<std::uint32_t> data_columns;
  std::vector<std::uint32_t> parity_rows;
  gf::Matrix coefficients;
};

/// generator: parity rows by data columns. known_columns, usable_parity_rows: ascending. wanted: rows over the data
/// columns (a unit vector for a data column, a row of the generator for a parity). Only sources that take part are
/// named, and parity rows that come first are preferred. Nothing when a wanted row does not follow.
/// The unknown part only is eliminated: its size is the number of columns lost, not k.
std::optional<Solution> solve(const gf::Matrix& generator, std::span<const std::uint32_t> known_columns,
                              std::span<const std::uint32_t> usable_parity_rows, const gf::Matrix& wanted);

/// The wanted row of chunk (or sub-chunk) `index`: below generator.column_count() a data column, else a parity row.
void set_wanted_row(const gf::Matrix& generator, std::uint32_t index, std::span<std::uint8_t> row);

}  // namespace parapet::codec

// Unknown sub-chunks as sums of others, in an order in which they can be computed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codec/block_order.h"
#include "codec/linear_map.h"
#include "codec/repair_task.h"

namespace parapet::codec {

/// Sub-chunk `unknown` is the sum of `row` over columns that are known, or unknowns of blocks before it.
struct Expression {
  std::uint32_t unknown = 0;
  SparseRow row;
};

/// Expressions that follow from each other together: unknowns = inverse * syndromes, where syndrome i is the sum of
/// syndromes[i] over columns known or computed before.
struct SolvedBlock {
  std::vector<std::uint32_t> unknowns;
  gf::Matrix inverse;
  std::vector<SparseRow> syndromes;

  /// The product of the two, row by row.
  [[nodiscard]] std::vector<Expression> expressions() const;
};

/// Solves `checks` (rows of `map.checks`, as `choose_checks` gives them) for the unknowns in them; where some of these
/// stay undetermined, for what is wanted only.
std::vector<SolvedBlock> solve_checks(const LinearMap& map, const Shape& shape, const RepairTask& task,
                                      const std::vector<std::uint32_t>& checks);

/// The columns of what the task wants.
std::vector<std::uint32_t> wanted_columns(const Shape& shape, const RepairTask& task);

}  // namespace parapet::codec

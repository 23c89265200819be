#include "codec/solution.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::codec {

namespace {

using Columns = std::vector<std::uint32_t>;

/// The unknown columns in some checks, ascending.
Columns unknowns_in(const SparseMatrix& checks, const Columns& rows, const Shape& shape, const ChunkSet& available) {
  Columns unknowns;
  for (const std::uint32_t row : rows)
    for (const Entry& entry : checks.row(row))
      if (!available.contains(entry.column / shape.alpha)) unknowns.push_back(entry.column);
  std::sort(unknowns.begin(), unknowns.end());
  unknowns.erase(std::unique(unknowns.begin(), unknowns.end()), unknowns.end());
  return unknowns;
}

/// A row without the columns of some (ascending) unknowns.
SparseRow without(const SparseRow& row, const Columns& unknowns) {
  SparseRow rest;
  for (const Entry& entry : row)
    if (!std::binary_search(unknowns.begin(), unknowns.end(), entry.column)) rest.push_back(entry);
  return rest;
}

SolvedBlock solve_block(const SparseMatrix& checks, const Columns& equations, Columns unknowns) {
  auto inverse = gf::invert(pick(checks, equations, unknowns));
  PARAPET_ASSERT(inverse.has_value());
  SolvedBlock block{std::move(unknowns), std::move(*inverse), {}};
  for (const std::uint32_t equation : equations)
    block.syndromes.push_back(without(checks.row(equation), block.unknowns));
  return block;
}

std::vector<SolvedBlock> solve_by_blocks(const SparseMatrix& checks, const Columns& rows, const Columns& unknowns) {
  std::vector<Columns> unknowns_of(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Entry& entry : checks.row(rows[i])) {
      const auto found = std::lower_bound(unknowns.begin(), unknowns.end(), entry.column);
      if (found != unknowns.end() && *found == entry.column)
        unknowns_of[i].push_back(static_cast<std::uint32_t>(found - unknowns.begin()));
    }
  std::vector<SolvedBlock> blocks;
  for (const Block& block : block_order(unknowns_of)) {
    Columns equations, columns;
    for (const std::uint32_t i : block.equations) equations.push_back(rows[i]);
    for (const std::uint32_t j : block.unknowns) columns.push_back(unknowns[j]);
    blocks.push_back(solve_block(checks, equations, std::move(columns)));
  }
  return blocks;
}

/// Wanted columns as combinations of checks in which the other unknowns cancel.
SolvedBlock solve_wanted_only(const SparseMatrix& checks, const Columns& rows, const Columns& unknowns,
                              Columns wanted) {
  gf::Matrix units(wanted.size(), unknowns.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::lower_bound(unknowns.begin(), unknowns.end(), wanted[i]);
    units.at(i, static_cast<std::size_t>(at - unknowns.begin())) = 1;
  }
  auto combinations = gf::express(units, pick(checks, rows, unknowns));
  PARAPET_ASSERT(combinations.has_value());
  SolvedBlock block{std::move(wanted), std::move(*combinations), {}};
  for (const std::uint32_t row : rows) block.syndromes.push_back(without(checks.row(row), unknowns));
  return block;
}

}  // namespace

std::vector<Expression> SolvedBlock::expressions() const {
  std::vector<Expression> result;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    Expression expression{unknowns[i], {}};
    for (std::size_t j = 0; j < syndromes.size(); ++j)
      if (inverse.at(i, j) != 0) add_scaled(expression.row, syndromes[j], inverse.at(i, j));
    result.push_back(std::move(expression));
  }
  return result;
}

std::vector<std::uint32_t> wanted_columns(const Shape& shape, const RepairTask& task) {
  Columns columns;
  for (const unsigned chunk : task.wanted)
    for (std::uint32_t sub = task.subs.first; sub < task.subs.last; ++sub) columns.push_back(chunk * shape.alpha + sub);
  return columns;
}

std::vector<SolvedBlock> solve_checks(const LinearMap& map, const Shape& shape, const RepairTask& task,
                                      const std::vector<std::uint32_t>& checks) {
  const Columns unknowns = unknowns_in(map.checks, checks, shape, task.available);
  if (unknowns.size() == checks.size()) return solve_by_blocks(map.checks, checks, unknowns);
  return {solve_wanted_only(map.checks, checks, unknowns, wanted_columns(shape, task))};
}

}  // namespace parapet::codec

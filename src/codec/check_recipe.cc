#include "codec/check_recipe.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "base/assert.h"
#include "codec/check_choice.h"
#include "codec/expression_groups.h"
#include "codec/recipe_builder.h"
#include "codec/solution.h"
#include "codec/xor_sharing.h"

namespace parapet::codec {

namespace {

/// Turns solved blocks into steps of a recipe.
class Emitter {
 public:
  explicit Emitter(const Shape& shape) : shape_(shape) {}

  /// Codes over GF(2): sums only, with what they have in common summed once. Syndromes first, so that a dense inverse
  /// acts on few of them and not on all that is read.
  void emit_sums(const std::vector<SolvedBlock>& blocks) {
    std::map<std::uint32_t, std::uint32_t> id_of;  // by column: of sources, and from `source_count` on of sums
    RecipeBuilder::Values sources;
    for (const SolvedBlock& block : blocks)
      for (const SparseRow& row : block.syndromes)
        for (const Entry& entry : row) id_of.try_emplace(entry.column, 0);
    for (const SolvedBlock& block : blocks)
      for (const std::uint32_t unknown : block.unknowns) id_of.erase(unknown);
    for (auto& [column, id] : id_of) {
      id = static_cast<std::uint32_t>(sources.size());
      sources.push_back(value(column));
    }
    XorSums sums;
    const auto add_sum = [&](std::vector<std::uint32_t> terms) {
      sums.push_back(std::move(terms));
      return static_cast<std::uint32_t>(sources.size() + sums.size() - 1);
    };
    for (const SolvedBlock& block : blocks) {
      std::vector<std::uint32_t> syndromes;
      for (const SparseRow& row : block.syndromes) {
        std::vector<std::uint32_t> terms;
        for (const Entry& entry : row) terms.push_back(id_of.at(entry.column));
        syndromes.push_back(add_sum(std::move(terms)));
      }
      if (block.unknowns.size() == 1 && syndromes.size() == 1) {
        id_of[block.unknowns[0]] = syndromes[0];
        continue;
      }
      for (std::size_t i = 0; i < block.unknowns.size(); ++i) {
        std::vector<std::uint32_t> terms;
        for (std::size_t j = 0; j < syndromes.size(); ++j)
          if (block.inverse.at(i, j) != 0) terms.push_back(syndromes[j]);
        id_of[block.unknowns[i]] = add_sum(std::move(terms));
      }
    }
    build_shared(sums, std::move(sources), id_of, blocks);
  }

  /// Codes over GF(2^8): products of dense matrices.
  void emit_products(const std::vector<SolvedBlock>& blocks) {
    for (const ExpressionGroup& group : group_expressions(blocks)) emit(group);
  }

  Recipe finish(const std::vector<std::uint32_t>& wanted, const gf::Kernels& kernels) {
    for (const std::uint32_t column : wanted) builder_.output(sub_chunk(column), computed_.at(column));
    return builder_.finish(kernels);
  }

 private:
  [[nodiscard]] SubChunk sub_chunk(std::uint32_t column) const {
    return {column / shape_.alpha, column % shape_.alpha};
  }

  RecipeBuilder::Value value(std::uint32_t column) {
    const auto found = computed_.find(column);
    return found != computed_.end() ? found->second : builder_.read(sub_chunk(column));
  }

  void build_shared(const XorSums& sums, RecipeBuilder::Values values,
                    const std::map<std::uint32_t, std::uint32_t>& id_of, const std::vector<SolvedBlock>& blocks) {
    const std::size_t source_count = values.size();
    const SharedSums shared = share_pairs(source_count, sums);
    for (const auto& terms : shared.sums) {
      RecipeBuilder::Values term_values;
      for (const std::uint32_t term : terms) term_values.push_back(values[term]);
      values.push_back(builder_.sum(std::move(term_values)));
    }
    for (const SolvedBlock& block : blocks)
      for (const std::uint32_t unknown : block.unknowns)
        computed_[unknown] = values[shared.place[id_of.at(unknown) - source_count]];
  }

  void emit(const ExpressionGroup& group) {
    RecipeBuilder::Values sources;
    std::vector<RecipeBuilder::Values> terms(group.expressions.size());
    gf::Matrix coefficients(group.expressions.size(), group.multiplied.size());
    for (const std::uint32_t column : group.multiplied) sources.push_back(value(column));
    for (std::size_t i = 0; i < group.expressions.size(); ++i)
      for (const Entry& entry : group.expressions[i].row) {
        const auto at = std::lower_bound(group.multiplied.begin(), group.multiplied.end(), entry.column);
        if (at != group.multiplied.end() && *at == entry.column)
          coefficients.at(i, static_cast<std::size_t>(at - group.multiplied.begin())) = entry.coefficient;
        else
          terms[i].push_back(value(entry.column));
      }
    const auto values = builder_.multiply(std::move(coefficients), std::move(sources), std::move(terms));
    for (std::size_t i = 0; i < values.size(); ++i) computed_[group.expressions[i].unknown] = values[i];
  }

  const Shape& shape_;
  RecipeBuilder builder_;
  std::map<std::uint32_t, RecipeBuilder::Value> computed_;  // by column
};

Recipe make_recipe(const LinearMap& map, const Shape& shape, const RepairTask& task,
                   const std::vector<std::uint32_t>& checks, const gf::Kernels& kernels) {
  const auto blocks = solve_checks(map, shape, task, checks);
  Emitter emitter(shape);
  if (map.checks.is_binary())
    emitter.emit_sums(blocks);
  else
    emitter.emit_products(blocks);
  return emitter.finish(wanted_columns(shape, task), kernels);
}

}  // namespace

std::optional<Recipe> make_check_recipe(const LinearMap& map, const Shape& shape, const RepairTask& task,
                                        const gf::Kernels& kernels) {
  const auto choice = choose_checks(map, shape, task);
  if (!choice) return std::nullopt;
  RepairTask narrowed = task;
  narrowed.available = choice->available;
  return make_recipe(map, shape, narrowed, choice->checks, kernels);
}

Recipe make_check_encoder(const LinearMap& map, const Shape& shape, const gf::Kernels& kernels) {
  std::vector<std::uint32_t> checks(std::size_t{shape.m} * shape.alpha);
  std::iota(checks.begin(), checks.end(), 0U);
  const RepairTask task{ChunkSet::range(0, shape.k), ChunkSet::range(shape.k, shape.n()), {0, shape.alpha}};
  return make_recipe(map, shape, task, checks, kernels);
}

}  // namespace parapet::codec

#include "codec/recipe_builder.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::codec {

namespace {

/// Steps without terms and with the same coefficients share a product: the thousands of planes of a Clay code have few.
class ProductPool {
 public:
  explicit ProductPool(const gf::Kernels& kernels) : kernels_(kernels) {}

  std::shared_ptr<const gf::Product> get(const gf::Matrix& coefficients, const gf::Product::Terms& terms) {
    const bool has_terms = std::ranges::any_of(terms, [](const auto& row) { return !row.empty(); });
    if (has_terms) return std::make_shared<const gf::Product>(kernels_, coefficients, terms);
    std::vector<std::uint8_t> key;
    for (std::size_t i = 0; i < coefficients.row_count(); ++i)
      key.insert(key.end(), coefficients.row(i).begin(), coefficients.row(i).end());
    auto& product = products_[{coefficients.row_count(), std::move(key)}];
    if (!product) product = std::make_shared<const gf::Product>(kernels_, coefficients);
    return product;
  }

 private:
  const gf::Kernels& kernels_;
  std::map<std::pair<std::size_t, std::vector<std::uint8_t>>, std::shared_ptr<const gf::Product>> products_;
};

}  // namespace

RecipeBuilder::Value RecipeBuilder::new_value(bool is_read) {
  is_read_.push_back(is_read);
  is_output_.push_back(false);
  return static_cast<Value>(is_read_.size() - 1);
}

RecipeBuilder::Value RecipeBuilder::read(SubChunk source) {
  const auto found = reads_.find(source);
  return found != reads_.end() ? found->second : reads_[source] = new_value(true);
}

RecipeBuilder::Values RecipeBuilder::add_step(Step step) {
  for (std::size_t row = 0; row < step.terms.size(); ++row) step.rows.push_back(new_value(false));
  steps_.push_back(std::move(step));
  return steps_.back().rows;
}

RecipeBuilder::Values RecipeBuilder::multiply(gf::Matrix coefficients, Values sources, std::vector<Values> terms) {
  PARAPET_ASSERT(coefficients.column_count() == sources.size());
  terms.resize(coefficients.row_count());
  return add_step({std::move(coefficients), std::move(sources), std::move(terms), {}});
}

RecipeBuilder::Value RecipeBuilder::sum(Values terms) {
  PARAPET_ASSERT(!terms.empty());
  return add_step({gf::Matrix(1, 0), {}, {std::move(terms)}, {}})[0];
}

void RecipeBuilder::output(SubChunk target, Value value) {
  if (is_read_[value] || is_output_[value]) value = sum({value});  // every output is written by a row of its own
  is_output_[value] = true;
  outputs_[target] = value;
}

void RecipeBuilder::mark_needed(const Step& step) {
  for (const Value source : step.sources) is_needed_[source] = true;
  for (const Values& row : step.terms)
    for (const Value term : row) is_needed_[term] = true;
}

/// Rows that nothing needs, then columns that are zero in the rows left.
void RecipeBuilder::drop_rows(Step& step) const {
  std::vector<std::size_t> rows, columns;
  for (std::size_t i = 0; i < step.rows.size(); ++i)
    if (is_needed_[step.rows[i]]) rows.push_back(i);
  for (std::size_t j = 0; j < step.sources.size(); ++j)
    if (std::any_of(rows.begin(), rows.end(), [&](std::size_t i) { return step.coefficients.at(i, j) != 0; }))
      columns.push_back(j);
  Step kept{gf::Matrix(rows.size(), columns.size()), {}, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    kept.rows.push_back(step.rows[rows[i]]);
    kept.terms.push_back(std::move(step.terms[rows[i]]));
    for (std::size_t j = 0; j < columns.size(); ++j)
      kept.coefficients.at(i, j) = step.coefficients.at(rows[i], columns[j]);
  }
  for (const std::size_t j : columns) kept.sources.push_back(step.sources[j]);
  step = std::move(kept);
}

void RecipeBuilder::drop_unneeded() {
  is_needed_ = is_output_;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    drop_rows(steps_[i]);
    mark_needed(steps_[i]);
  }
  std::erase_if(steps_, [](const Step& step) { return step.rows.empty(); });
  std::erase_if(reads_, [&](const auto& read) { return !is_needed_[read.second]; });
}

/// For each value the last step that reads it.
std::vector<std::uint32_t> RecipeBuilder::last_uses() const {
  std::vector<std::uint32_t> last(is_read_.size(), none);
  for (std::uint32_t i = 0; i < steps_.size(); ++i) {
    for (const Value source : steps_[i].sources) last[source] = i;
    for (const Values& row : steps_[i].terms)
      for (const Value term : row) last[term] = i;
  }
  return last;
}

/// A temporary's number is free again after the last step that reads it.
void RecipeBuilder::number_temporaries(OperandCounts& counts) {
  const auto last = last_uses();
  std::vector<std::vector<Operand>> freed_after(steps_.size());
  std::vector<Operand> free;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const Value row : steps_[i].rows) {
      if (is_output_[row]) continue;
      if (free.empty()) free.push_back(static_cast<Operand>(counts.whole() + counts.temporaries++));
      operands_[row] = free.back();
      free.pop_back();
      freed_after[last[row]].push_back(operands_[row]);
    }
    free.insert(free.end(), freed_after[i].begin(), freed_after[i].end());
  }
}

OperandCounts RecipeBuilder::number(Recipe& recipe) {
  OperandCounts counts;
  operands_.assign(is_read_.size(), none);
  for (const auto& [source, value] : reads_) {
    recipe.reads.push_back(source);
    operands_[value] = static_cast<Operand>(counts.inputs++);
  }
  for (const auto& [target, value] : outputs_) {
    recipe.outputs.push_back(target);
    operands_[value] = static_cast<Operand>(counts.inputs + counts.outputs++);
  }
  number_temporaries(counts);
  return counts;
}

Recipe RecipeBuilder::finish(const gf::Kernels& kernels) {
  drop_unneeded();
  Recipe recipe{{}, {}, Program(kernels, {})};
  recipe.program = Program(kernels, number(recipe));
  const auto operands_of = [&](const Values& values) {
    std::vector<Operand> result;
    for (const Value value : values) result.push_back(operands_[value]);
    return result;
  };
  ProductPool pool(kernels);
  for (const Step& step : steps_) {
    gf::Product::Terms terms;
    for (const Values& row : step.terms) terms.push_back(operands_of(row));
    const auto targets = operands_of(step.rows);
    if (!step.sources.empty()) {
      recipe.program.add_product(pool.get(step.coefficients, terms), operands_of(step.sources), targets);
      continue;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) recipe.program.add_sum(targets[i], terms[i]);
  }
  return recipe;
}

}  // namespace parapet::codec

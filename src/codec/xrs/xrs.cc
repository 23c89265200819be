#include "codec/xrs/xrs.h"

#include <map>

#include "base/try.h"
#include "codec/families.h"
#include "codec/known.h"
#include "codec/recipe_builder.h"
#include "codec/rs/matrices.h"
#include "codec/solve.h"
#include "codec/xrs/groups.h"

namespace parapet::codec {

namespace {

constexpr std::uint32_t half_a = 0;
constexpr std::uint32_t half_b = 1;

/// The generator over halves: rows and columns are (chunk, half).
gf::Matrix xrs_generator(const gf::Matrix& base, const XrsGroups& groups) {
  gf::Matrix result(2 * base.row_count(), 2 * base.column_count());
  for (std::uint32_t r = 0; r < base.row_count(); ++r) {
    for (std::uint32_t c = 0; c < base.column_count(); ++c)
      for (const std::uint32_t half : {half_a, half_b}) result.at(2 * r + half, 2 * c + half) = base.at(r, c);
    for (const std::uint32_t i : groups.members(r)) result.at(2 * r + half_b, 2 * i + half_a) = 1;
  }
  return result;
}

Program xrs_encoder(const gf::Matrix& base, const XrsGroups& groups, const gf::Kernels& kernels) {
  const std::size_t k = base.column_count();
  const std::size_t m = base.row_count();
  Program program(kernels, 2 * k, 2 * m);
  std::vector<Operand> sources[2], targets[2];
  gf::Product::Terms piggybacks(m);
  for (const std::uint32_t half : {half_a, half_b}) {
    for (std::size_t j = 0; j < k; ++j) sources[half].push_back(program.input(2 * j + half));
    for (std::size_t p = 0; p < m; ++p) targets[half].push_back(program.output(2 * p + half));
  }
  for (std::uint32_t r = 0; r < m; ++r)
    for (const std::uint32_t i : groups.members(r)) piggybacks[r].push_back(sources[half_a][i]);
  program.add_step(base, sources[half_a], targets[half_a]);
  program.add_step(base, sources[half_b], targets[half_b], piggybacks);
  return program;
}

/// What `GeneralRepair` works from.
struct Setting {
  const gf::Matrix& base;
  const XrsGroups& groups;
  const gf::Kernels& kernels;
  Shape shape;
  RecipeKey key;
};

/// Repair of any decodable pattern: halves a first, then parities freed of their piggybacks, then halves b.
class GeneralRepair {
 public:
  explicit GeneralRepair(const Setting& setting)
      : s_(setting), known_(known_chunks(setting.key.available, setting.shape)), wanted_(list(setting.key.wanted)) {}

  std::optional<Recipe> make() {
    const bool wants_a = s_.key.subs.first == half_a;
    const bool wants_b = s_.key.subs.last > half_b;
    std::vector<std::uint32_t> needed_a;  // chunks whose half a is wanted, or rides on a parity that takes part
    if (wants_a) needed_a = wanted_;
    if (wants_b) {
      solution_b_ = solve(s_.base, known_.data, known_.parity, wanted_rows(s_.base, wanted_));
      if (!solution_b_) return std::nullopt;
      for (const std::uint32_t row : rows_with_piggyback())
        needed_a.insert(needed_a.end(), s_.groups.members(row).begin(), s_.groups.members(row).end());
    }
    if (!solve_a(needed_a)) return std::nullopt;
    name_operands(wants_a, wants_b);
    Recipe recipe = builder_.start(s_.kernels);
    add_step_a(recipe.program);
    if (wants_b) add_step_b(recipe.program);
    return recipe;
  }

 private:
  /// Parity rows whose piggybacks must be known: those that the solution reads, and those wanted.
  [[nodiscard]] std::vector<std::uint32_t> rows_with_piggyback() const {
    std::vector<std::uint32_t> rows = solution_b_->parity_rows;
    for (const std::uint32_t chunk : wanted_)
      if (chunk >= s_.shape.k) rows.push_back(chunk - s_.shape.k);
    return rows;
  }

  /// Finds how the needed halves a that are not at hand follow from those that are.
  bool solve_a(std::vector<std::uint32_t> needed) {
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    for (const std::uint32_t chunk : needed) {
      if (s_.key.available.contains(chunk))
        builder_.read({chunk, half_a});
      else
        computed_a_.push_back(chunk);
    }
    if (computed_a_.empty()) return true;
    solution_a_ = solve(s_.base, known_.data, known_.parity, wanted_rows(s_.base, computed_a_));
    return solution_a_.has_value();
  }

  void name_sources(const Solution& solution, std::uint32_t half) {
    for (const std::uint32_t chunk : solution.data_columns) builder_.read({chunk, half});
    for (const std::uint32_t row : solution.parity_rows) builder_.read({s_.shape.k + row, half});
  }

  void name_operands(bool wants_a, bool wants_b) {
    if (solution_a_) name_sources(*solution_a_, half_a);
    if (solution_b_) name_sources(*solution_b_, half_b);
    for (const std::uint32_t chunk : wanted_) {
      if (wants_a) builder_.output({chunk, half_a});
      if (wants_b) builder_.output({chunk, half_b});
    }
    output_a_ = wants_a;
  }

  void add_step_a(Program& program) {
    if (!solution_a_) return;
    std::vector<Operand> sources, targets;
    for (const std::uint32_t chunk : solution_a_->data_columns)
      sources.push_back(builder_.operand(program, {chunk, half_a}));
    for (const std::uint32_t row : solution_a_->parity_rows)
      sources.push_back(builder_.operand(program, {s_.shape.k + row, half_a}));
    for (const std::uint32_t chunk : computed_a_) {
      const bool is_output = output_a_ && s_.key.wanted.contains(chunk);
      targets.push_back(is_output ? builder_.operand(program, {chunk, half_a}) : program.add_temporary());
      operand_of_computed_a_[chunk] = targets.back();
    }
    program.add_step(solution_a_->coefficients, sources, targets);
  }

  [[nodiscard]] Operand operand_a(const Program& program, std::uint32_t chunk) const {
    const auto computed = operand_of_computed_a_.find(chunk);
    return computed != operand_of_computed_a_.end() ? computed->second : builder_.operand(program, {chunk, half_a});
  }

  [[nodiscard]] std::vector<Operand> piggyback(const Program& program, std::uint32_t row) const {
    std::vector<Operand> result;
    for (const std::uint32_t chunk : s_.groups.members(row)) result.push_back(operand_a(program, chunk));
    return result;
  }

  /// The half b of parity `row` without its piggyback; adds to `step_terms` the row that computes it, if any is needed.
  Operand plain_b(Program& program, std::uint32_t row, gf::Product::Terms& step_terms, std::vector<Operand>& targets) {
    const Operand stored = builder_.operand(program, {s_.shape.k + row, half_b});
    if (s_.groups.members(row).empty()) return stored;
    step_terms.push_back(piggyback(program, row));
    step_terms.back().push_back(stored);
    targets.push_back(program.add_temporary());
    return targets.back();
  }

  void add_step_b(Program& program) {
    std::vector<Operand> sources, plain_targets, targets;
    gf::Product::Terms plain_terms, piggybacks;
    for (const std::uint32_t chunk : solution_b_->data_columns)
      sources.push_back(builder_.operand(program, {chunk, half_b}));
    for (const std::uint32_t row : solution_b_->parity_rows)
      sources.push_back(plain_b(program, row, plain_terms, plain_targets));
    program.add_step(gf::Matrix(plain_targets.size(), 0), {}, plain_targets, plain_terms);
    for (const std::uint32_t chunk : wanted_) {
      targets.push_back(builder_.operand(program, {chunk, half_b}));
      piggybacks.push_back(chunk >= s_.shape.k ? piggyback(program, chunk - s_.shape.k) : std::vector<Operand>{});
    }
    program.add_step(solution_b_->coefficients, sources, targets, piggybacks);
  }

  const Setting& s_;
  Known known_;
  std::vector<std::uint32_t> wanted_;
  std::optional<Solution> solution_a_;
  std::optional<Solution> solution_b_;
  std::vector<std::uint32_t> computed_a_;
  std::map<std::uint32_t, Operand> operand_of_computed_a_;
  bool output_a_ = false;
  RecipeBuilder builder_;
};

class Xrs final : public CodeImpl {
 public:
  Xrs(std::string text, const Shape& shape, const gf::Matrix& base, const XrsGroups& groups, const gf::Kernels& kernels)
      : CodeImpl(std::move(text), shape, xrs_generator(base, groups), kernels, xrs_encoder(base, groups, kernels)),
        base_(base),
        groups_(groups) {}

 protected:
  [[nodiscard]] std::optional<Recipe> make_recipe(const RecipeKey& key) const override {
    if (reduced_repair_pays(key)) return reduced_repair(*key.wanted.begin());
    return GeneralRepair({base_, groups_, kernels(), shape(), key}).make();
  }

 private:
  /// One data chunk, both halves, with all that the reduced repair reads at hand, which is less than k chunks.
  [[nodiscard]] bool reduced_repair_pays(const RecipeKey& key) const {
    const std::uint32_t lost = *key.wanted.begin();
    if (key.wanted.count() != 1 || lost >= shape().k || key.subs != SubRange{half_a, half_b + 1}) return false;
    const std::uint32_t row = groups_.row_of(lost);
    ChunkSet helpers = ChunkSet::range(0, shape().k + 1);
    helpers.erase(lost);
    helpers.insert(shape().k + row);
    return (helpers - key.available).empty() && groups_.members(row).size() < shape().k;
  }

  /// b_lost and C_r . b come from the same sources by one product; the rest of a_lost are terms of its row.
  [[nodiscard]] Recipe reduced_repair(std::uint32_t lost) const {
    const std::uint32_t k = shape().k;
    const std::uint32_t row = groups_.row_of(lost);
    RecipeBuilder builder;
    for (std::uint32_t j = 0; j <= k; ++j)
      if (j != lost) builder.read({j, half_b});
    builder.read({k + row, half_b});
    for (const std::uint32_t i : groups_.members(row))
      if (i != lost) builder.read({i, half_a});
    builder.output({lost, half_a});
    builder.output({lost, half_b});
    Recipe recipe = builder.start(kernels());

    Known known = known_chunks(ChunkSet::range(0, k + 1) - ChunkSet{lost}, shape());
    const std::uint32_t wanted[] = {k + row, lost};
    const auto solution = solve(base_, known.data, known.parity, wanted_rows(base_, wanted));
    PARAPET_ASSERT(solution && solution->coefficients.column_count() == k);
    std::vector<Operand> sources;
    for (const std::uint32_t chunk : known.data) sources.push_back(builder.operand(recipe.program, {chunk, half_b}));
    sources.push_back(builder.operand(recipe.program, {k, half_b}));
    gf::Product::Terms terms(2);
    terms[0].push_back(builder.operand(recipe.program, {k + row, half_b}));
    for (const std::uint32_t i : groups_.members(row))
      if (i != lost) terms[0].push_back(builder.operand(recipe.program, {i, half_a}));
    recipe.program.add_step(
        solution->coefficients, sources,
        {builder.operand(recipe.program, {lost, half_a}), builder.operand(recipe.program, {lost, half_b})}, terms);
    return recipe;
  }

  gf::Matrix base_;
  XrsGroups groups_;
};

}  // namespace

Result<std::shared_ptr<const CodeImpl>> make_xrs(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_m(text));
  if (!text.options.empty()) return Error{ErrorCode::invalid_argument, "code", "xrs has no options"};
  if (shape.m < 2)
    return Error{ErrorCode::invalid_argument, "code",
                 "xrs needs m >= 2: one parity stays plain, the others carry; use rs"};
  shape.alpha = 2;
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<Xrs>("xrs(" + std::to_string(shape.k) + "," + std::to_string(shape.m) + ")", shape,
                            cauchy_matrix(shape.k, shape.m), XrsGroups(shape.k, shape.m), kernels));
}

}  // namespace parapet::codec

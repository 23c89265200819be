#include "codec/rs/rs.h"

#include "base/try.h"
#include "codec/families.h"
#include "codec/known.h"
#include "codec/rs/matrices.h"
#include "codec/solve.h"

namespace parapet::codec {

namespace {

class Rs final : public CodeImpl {
 public:
  Rs(std::string text, const Shape& shape, const gf::Matrix& generator, const gf::Kernels& kernels)
      : CodeImpl(std::move(text), shape, generator, kernels, make_encoder(generator, kernels)) {}

 protected:
  [[nodiscard]] std::optional<Recipe> make_recipe(const RecipeKey& key) const override {
    const Known known = known_chunks(key.available, shape());
    const auto wanted = list(key.wanted);
    const auto solution = solve(generator(), known.data, known.parity, wanted_rows(generator(), wanted));
    if (!solution) return std::nullopt;

    Recipe recipe{{}, {}, Program(kernels(), solution->coefficients.column_count(), wanted.size())};
    std::vector<Operand> sources, targets;
    for (const std::uint32_t chunk : solution->data_columns) recipe.reads.push_back({chunk, 0});
    for (const std::uint32_t row : solution->parity_rows) recipe.reads.push_back({shape().k + row, 0});
    for (const std::uint32_t chunk : wanted) recipe.outputs.push_back({chunk, 0});
    for (std::size_t i = 0; i < recipe.reads.size(); ++i) sources.push_back(recipe.program.input(i));
    for (std::size_t i = 0; i < wanted.size(); ++i) targets.push_back(recipe.program.output(i));
    recipe.program.add_step(solution->coefficients, sources, targets);
    return recipe;
  }

 private:
  static Program make_encoder(const gf::Matrix& generator, const gf::Kernels& kernels) {
    Program program(kernels, generator.column_count(), generator.row_count());
    std::vector<Operand> sources, targets;
    for (std::size_t j = 0; j < generator.column_count(); ++j) sources.push_back(program.input(j));
    for (std::size_t p = 0; p < generator.row_count(); ++p) targets.push_back(program.output(p));
    program.add_step(generator, sources, targets);
    return program;
  }
};

struct NamedMatrix {
  std::string_view name;
  gf::Matrix (*make)(unsigned k, unsigned m);
};

constexpr NamedMatrix matrices[] = {
    {"cauchy", cauchy_matrix},
    {"isal", isal_matrix},
    {"jerasure", jerasure_matrix},
    {"vandermonde", vandermonde_matrix},
};

const NamedMatrix* find_matrix(std::string_view name) {
  for (const NamedMatrix& matrix : matrices)
    if (matrix.name == name) return &matrix;
  return nullptr;
}

Result<const NamedMatrix*> parse_matrix(const CodeText& text) {
  std::string_view name = matrices[0].name;
  for (const auto& [key, value] : text.options) {
    if (key != "matrix") return Error{ErrorCode::invalid_argument, "code", "rs has one option: matrix"};
    name = value;
  }
  if (const NamedMatrix* matrix = find_matrix(name)) return matrix;
  return Error{ErrorCode::invalid_argument, "code", "unknown matrix; known: cauchy, isal, jerasure, vandermonde"};
}

}  // namespace

Result<std::shared_ptr<const CodeImpl>> make_rs(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Shape shape, parse_k_m(text));
  PARAPET_TRY(const NamedMatrix* const matrix, parse_matrix(text));
  if (matrix->make == isal_matrix && !isal_matrix_is_mds(shape.k, shape.m))
    return Error{ErrorCode::invalid_argument,
                 "code",
                 "matrix=isal is not MDS for k = {}, m = {}: some patterns of m losses could not be decoded; use "
                 "matrix=cauchy",
                 {shape.k, shape.m}};
  std::string canonical = "rs(" + std::to_string(shape.k) + "," + std::to_string(shape.m);
  if (matrix != &matrices[0]) canonical.append(",matrix=").append(matrix->name);
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<Rs>(canonical + ")", shape, matrix->make(shape.k, shape.m), kernels));
}

}  // namespace parapet::codec

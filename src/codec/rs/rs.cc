#include "codec/rs/rs.h"

#include "base/try.h"
#include "codec/families.h"
#include "codec/rs/matrices.h"

namespace parapet::codec {

namespace {

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
      std::make_shared<CodeImpl>(canonical + ")", shape,
                                 LinearMap::from_generator(SparseMatrix(matrix->make(shape.k, shape.m))), kernels));
}

}  // namespace parapet::codec

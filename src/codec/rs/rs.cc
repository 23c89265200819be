#include "codec/rs/rs.h"

#include "base/try.h"
#include "codec/family_options.h"
#include "codec/rs/matrices.h"

namespace parapet::codec {

namespace {

struct NamedMatrix {
  std::string_view name;
  gf::Matrix (*make)(unsigned k, unsigned m);
  bool (*is_mds)(unsigned k, unsigned m);  // null where all are
};

constexpr NamedMatrix matrices[] = {
    {"cauchy", cauchy_matrix, nullptr},
    {"isal", isal_matrix, isal_matrix_is_mds},
    {"jerasure", jerasure_matrix, nullptr},
    {"vandermonde", vandermonde_matrix, nullptr},
    {"par1", par1_matrix, [](unsigned, unsigned m) { return m <= 3; }},
};

Result<const NamedMatrix*> parse_matrix(const CodeText& text) {
  const auto found = text.options.find("matrix");
  if (found == text.options.end()) return &matrices[0];
  for (const NamedMatrix& matrix : matrices)
    if (matrix.name == found->second) return &matrix;
  return wrong_code("unknown matrix; known: cauchy, isal, jerasure, vandermonde, par1");
}

}  // namespace

MadeCode make_rs(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {"matrix", "unsafe"}, "rs has two options: matrix and unsafe"));
  PARAPET_TRY(const NamedMatrix* const matrix, parse_matrix(text));
  PARAPET_TRY(const bool unsafe, is_unsafe(text));
  if (unsafe && matrix->is_mds == nullptr) return wrong_code("rs with this matrix is always MDS: leave unsafe out");
  LinearMap map = LinearMap::from_generator(SparseMatrix(matrix->make(shape.k, shape.m)));
  if (unsafe || (matrix->is_mds != nullptr && !matrix->is_mds(shape.k, shape.m)))
    PARAPET_CHECK(settle_tolerance(shape, map, unsafe,
                                   {"with this matrix, {} of {} losses of m chunks cannot be decoded; use "
                                    "matrix=cauchy, or take it as it is with unsafe=yes",
                                    "with this matrix, some losses of m chunks cannot be decoded; use matrix=cauchy"}));
  std::string canonical = canonical_start("rs", shape);
  if (matrix != &matrices[0]) canonical.append(",matrix=").append(matrix->name);
  if (unsafe) canonical.append(",unsafe=yes");
  return std::shared_ptr<const CodeImpl>(std::make_shared<CodeImpl>(canonical + ")", shape, std::move(map), kernels));
}

MadeCode make_reed_sol_r6_op(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Shape shape, parse_k_2(text));
  PARAPET_CHECK(check_options(text, {}, "reed_sol_r6_op has no options; its w is 8"));
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<CodeImpl>(canonical_start("reed_sol_r6_op", shape) + ")", shape,
                                 LinearMap::from_generator(SparseMatrix(isal_matrix(shape.k, 2))), kernels));
}

}  // namespace parapet::codec

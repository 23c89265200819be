#include "codec/xrs/xrs.h"

#include "base/try.h"
#include "codec/family_options.h"
#include "codec/rs/matrices.h"

namespace parapet::codec {

namespace {

constexpr std::uint32_t half_a = 0;
constexpr std::uint32_t half_b = 1;

/// The generator over halves: rows and columns are (chunk, half).
SparseMatrix xrs_generator(unsigned k, unsigned m) {
  const gf::Matrix base = cauchy_matrix(k, m);
  SparseMatrix generator(std::size_t{2} * k);
  for (std::uint32_t r = 0; r < m; ++r)
    for (const std::uint32_t half : {half_a, half_b}) {
      SparseRow row;
      for (std::uint32_t i = 0; i < k; ++i) row.push_back({2 * i + half, base.at(r, i)});
      for (std::uint32_t i = r - 1; half == half_b && r > 0 && i < k; i += m - 1) row.push_back({2 * i + half_a, 1});
      generator.add_row(std::move(row));
    }
  return generator;
}

}  // namespace

MadeCode make_xrs(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {}, "xrs has no options"));
  if (shape.m < 2) return wrong_code("xrs needs m >= 2: one parity stays plain, the others carry; use rs");
  shape.alpha = 2;
  return std::shared_ptr<const CodeImpl>(std::make_shared<CodeImpl>(
      canonical_start("xrs", shape) + ")", shape, LinearMap::from_generator(xrs_generator(shape.k, shape.m)), kernels));
}

}  // namespace parapet::codec

#include "codec/xor/xor.h"

#include "base/try.h"

namespace parapet::codec {

namespace {

/// Each parity is the sum of all data.
MadeCode make_all_ones(const CodeText& text, const Shape& shape, const gf::Kernels& kernels) {
  SparseMatrix generator(shape.k);
  for (unsigned i = 0; i < shape.m; ++i) {
    SparseRow row;
    for (unsigned j = 0; j < shape.k; ++j) row.push_back({j, 1});
    generator.add_row(std::move(row));
  }
  return std::shared_ptr<const CodeImpl>(std::make_shared<CodeImpl>(
      canonical_start(text.name, shape) + ")", shape, LinearMap::from_generator(std::move(generator)), kernels));
}

}  // namespace

MadeCode make_xor(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {}, "xor has no options"));
  if (shape.m != 1) return wrong_code("m is {}; xor has one parity: xor(k,1)", {shape.m});
  return make_all_ones(text, shape, kernels);
}

MadeCode make_replication(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {}, "replication has no options"));
  if (shape.k != 1) return wrong_code("k is {}; replication copies one chunk: replication(1,m)", {shape.k});
  return make_all_ones(text, shape, kernels);
}

}  // namespace parapet::codec

#include "codec/evenodd/evenodd.h"

#include <algorithm>

#include "base/try.h"
#include "codec/diagonal_encoder.h"

namespace parapet::codec {

namespace {

constexpr unsigned p_max = 257;

SparseMatrix evenodd_generator(unsigned k, unsigned p) {
  const unsigned rows = p - 1;
  SparseMatrix generator(std::size_t{k} * rows);
  for (unsigned r = 0; r < rows; ++r) {
    SparseRow row;
    for (unsigned c = 0; c < k; ++c) row.push_back({c * rows + r, 1});
    generator.add_row(std::move(row));
  }
  for (unsigned d = 0; d < rows; ++d) {
    SparseRow row;
    for (unsigned c = 0; c < k; ++c)
      for (const unsigned diagonal : {d, p - 1})
        if (const unsigned r = (diagonal + p - c) % p; r < rows) row.push_back({c * rows + r, 1});
    generator.add_row(std::move(row));
  }
  return generator;
}

/// With both parities at hand, their sum is the adjuster: it may stand for it in a diagonal's check, which then has one
/// unknown of each lost column and not two.
LinearMap evenodd_map(unsigned k, unsigned p) {
  LinearMap map = LinearMap::from_generator(evenodd_generator(k, p));
  const unsigned rows = p - 1;
  SparseRow sum_of_all;
  for (unsigned check = 0; check < 2 * rows; ++check) add_scaled(sum_of_all, map.checks.row(check), 1);
  for (unsigned d = 0; d < rows; ++d) {
    SparseRow sum_of_others = sum_of_all;
    add_scaled(sum_of_others, map.checks.row(rows + d), 1);
    map.checks.add_row(std::move(sum_of_others));
  }
  return map;
}

}  // namespace

MadeCode make_evenodd(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_2(text));
  PARAPET_CHECK(check_options(text, {"p"}, "evenodd has one option: p"));
  PARAPET_TRY(const auto given, number_option(text, "p"));
  const unsigned p_default = prime_from(std::max(shape.k, 3U));
  const unsigned p = given.value_or(p_default);
  if (p < shape.k || p < 3 || p > p_max || !is_prime(p))
    return wrong_code("p is {}; it must be a prime from k = {} and from 3 to 257; the nearest is {}",
                      {p, shape.k, nearest_prime(p, p_default, p_max)});
  shape.alpha = p - 1;
  std::string canonical = canonical_start("evenodd", shape);
  if (p != p_default) canonical.append(",p=").append(std::to_string(p));
  LinearMap map = evenodd_map(shape.k, p);
  Recipe encoder = make_diagonal_encoder(map, shape, gf::DiagonalAddend::last_diagonal, kernels);
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<CodeImpl>(canonical + ")", shape, std::move(map), kernels, std::move(encoder)));
}

}  // namespace parapet::codec

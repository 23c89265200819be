#include "codec/rdp/rdp.h"

#include <algorithm>

#include "base/try.h"
#include "codec/diagonal_encoder.h"

namespace parapet::codec {

namespace {

constexpr unsigned p_max = 257;

/// Rows first, then diagonals, which take in the first parity.
SparseMatrix rdp_checks(const Shape& shape, unsigned p) {
  const unsigned rows = p - 1;
  const unsigned k = shape.k;
  SparseMatrix checks(std::size_t{shape.n()} * rows);
  for (unsigned r = 0; r < rows; ++r) {
    SparseRow row;
    for (unsigned chunk = 0; chunk <= k; ++chunk) row.push_back({chunk * rows + r, 1});
    checks.add_row(std::move(row));
  }
  for (unsigned d = 0; d < rows; ++d) {
    SparseRow row{{(k + 1) * rows + d, 1}};
    for (unsigned chunk = 0; chunk <= k; ++chunk) {
      const unsigned c = chunk < k ? chunk : p - 1;
      if (const unsigned r = (d + p - c) % p; r < rows) row.push_back({chunk * rows + r, 1});
    }
    checks.add_row(std::move(row));
  }
  return checks;
}

}  // namespace

MadeCode make_rdp(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_2(text));
  PARAPET_CHECK(check_options(text, {"p"}, "rdp has one option: p"));
  PARAPET_TRY(const auto given, number_option(text, "p"));
  const unsigned p_default = prime_from(std::max(shape.k + 1, 3U));
  const unsigned p = given.value_or(p_default);
  if (p <= shape.k || p < 3 || p > p_max || !is_prime(p))
    return wrong_code("p is {}; it must be a prime above k = {} and from 3 to 257; the nearest is {}",
                      {p, shape.k, nearest_prime(p, p_default, p_max)});
  shape.alpha = p - 1;
  std::string canonical = canonical_start("rdp", shape);
  if (p != p_default) canonical.append(",p=").append(std::to_string(p));
  LinearMap map = LinearMap::from_checks(rdp_checks(shape, p), shape);
  Recipe encoder = make_diagonal_encoder(map, shape, gf::DiagonalAddend::next_row_sum, kernels);
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<CodeImpl>(canonical + ")", shape, std::move(map), kernels, std::move(encoder)));
}

}  // namespace parapet::codec

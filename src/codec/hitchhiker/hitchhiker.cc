#include "codec/hitchhiker/hitchhiker.h"

#include "base/try.h"
#include "codec/rs/matrices.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

constexpr std::uint32_t half_a = 0;
constexpr std::uint32_t half_b = 1;

/// Cauchy with columns scaled so that the last row is all ones.
gf::Matrix base_matrix(unsigned k, unsigned m) {
  gf::Matrix matrix = cauchy_matrix(k, m);
  for (unsigned j = 0; j < k; ++j) {
    const std::uint8_t factor = gf::inverse(matrix.at(m - 1, j));
    for (unsigned r = 0; r < m; ++r) matrix.at(r, j) = gf::multiply(matrix.at(r, j), factor);
  }
  return matrix;
}

/// The groups 1..m of the data chunks, group by group.
class Groups {
 public:
  Groups(unsigned k, unsigned m) : m_(m) {
    unsigned best_last = 0;
    for (unsigned last = 1; last <= k; ++last)
      if (halves_read(k, last) < halves_read(k, best_last)) best_last = last;
    for (unsigned group = 1; group < m; ++group) group_of_.insert(group_of_.end(), size(k, best_last, group), group);
    group_of_.resize(k, m);
  }
  [[nodiscard]] unsigned of(unsigned chunk) const { return group_of_[chunk]; }

 private:
  /// The size of a group below m when the last one has `last` members.
  [[nodiscard]] unsigned size(unsigned k, unsigned last, unsigned group) const {
    const unsigned rest = k - last, count = m_ - 1;
    return rest / count + (group <= rest % count ? 1 : 0);
  }
  /// By all single repairs of data chunks together.
  [[nodiscard]] unsigned halves_read(unsigned k, unsigned last) const {
    unsigned total = last * (k + last + m_ - 2);
    for (unsigned group = 1; group < m_; ++group) total += size(k, last, group) * (k + size(k, last, group));
    return total;
  }

  unsigned m_;
  std::vector<unsigned> group_of_;
};

LinearMap hitchhiker_map(unsigned k, unsigned m) {
  const gf::Matrix base = base_matrix(k, m);
  const Groups groups(k, m);
  SparseMatrix generator(std::size_t{2} * k);
  for (unsigned r = 0; r < m; ++r)
    for (const std::uint32_t half : {half_a, half_b}) {
      const bool is_last_a = r == m - 1 && half == half_a;
      SparseRow row;
      for (unsigned i = 0; i < k; ++i) {
        const bool rides = r > 0 && groups.of(i) == r;
        if (half == half_b || is_last_a) row.push_back({2 * i + half_b, base.at(r, i)});
        if (half == half_a && !(is_last_a && rides)) row.push_back({2 * i + half_a, base.at(r, i)});
        if (half == half_b && rides) row.push_back({2 * i + half_a, 1});
      }
      generator.add_row(std::move(row));
    }
  LinearMap map = LinearMap::from_generator(std::move(generator));
  std::vector<std::uint32_t> cancelling{2 * (m - 1) + half_a};
  for (unsigned r = 1; r + 1 < m; ++r) cancelling.push_back(2 * r + half_b);
  if (cancelling.size() > 1) map.add_sum_of_checks(cancelling);
  return map;
}

}  // namespace

MadeCode make_hitchhiker(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_m(text));
  PARAPET_CHECK(check_options(text, {}, "hitchhiker has no options"));
  if (shape.m < 2)
    return wrong_code("m is 1, but hitchhiker needs m >= 2: one parity stays plain, the others carry; use rs or m = 2");
  shape.alpha = 2;
  return std::shared_ptr<const CodeImpl>(std::make_shared<CodeImpl>(canonical_start("hitchhiker", shape) + ")", shape,
                                                                    hitchhiker_map(shape.k, shape.m), kernels));
}

}  // namespace parapet::codec

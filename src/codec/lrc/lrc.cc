#include "codec/lrc/lrc.h"

#include "base/try.h"
#include "codec/rs/matrices.h"
#include "gf/gf256.h"

namespace parapet::codec {

namespace {

constexpr unsigned subfield_order = 15;  // of the multiplicative group of GF(16)
constexpr unsigned coset_count = 17;     // 255 / 15

struct Parameters {
  unsigned k = 0;
  unsigned l = 0;
  unsigned g = 0;
  bool uniform = false;
  [[nodiscard]] unsigned member_count() const { return uniform ? k + g : k; }
  /// The group of a member: data come first, then, in uniform groups, the global parities.
  [[nodiscard]] unsigned group_of(unsigned member) const {
    const unsigned small = member_count() / l, larger_count = member_count() % l;
    const unsigned in_larger = larger_count * (small + 1);
    return member < in_larger ? member / (small + 1) : larger_count + (member - in_larger) / small;
  }
};

/// Row r is x^r; the x of a group come from a coset of GF(16)'s multiplicative group. Nothing when there are too many.
std::optional<gf::Matrix> powers_by_group(const Parameters& parameters) {
  gf::Matrix matrix(parameters.g + 1, parameters.k);
  std::vector<unsigned> used(parameters.l);
  for (unsigned j = 0; j < parameters.k; ++j) {
    const unsigned group = parameters.group_of(j);
    if (group >= coset_count || used[group] == subfield_order) return std::nullopt;
    const std::uint8_t x = gf::power(2, group + coset_count * used[group]++);
    for (unsigned r = 0; r <= parameters.g; ++r) matrix.at(r, j) = gf::power(x, r);
  }
  return matrix;
}

void scale_column(gf::Matrix& matrix, unsigned column, std::uint8_t factor) {
  for (std::size_t r = 0; r < matrix.row_count(); ++r)
    matrix.at(r, column) = gf::multiply(matrix.at(r, column), factor);
}

/// g + 1 rows, the first all ones; any x rows and x columns are independent.
gf::Matrix base_matrix(const Parameters& parameters) {
  if (parameters.g <= 2)
    if (auto matrix = powers_by_group(parameters)) return *matrix;
  gf::Matrix matrix = cauchy_matrix(parameters.k, parameters.g + 1);
  for (unsigned j = 0; j < parameters.k; ++j) scale_column(matrix, j, gf::inverse(matrix.at(0, j)));
  return matrix;
}

std::uint8_t column_sum(const gf::Matrix& matrix, unsigned column, std::uint8_t factor_of_first_row) {
  std::uint8_t sum = gf::multiply(matrix.at(0, column), factor_of_first_row);
  for (std::size_t r = 1; r < matrix.row_count(); ++r) sum ^= matrix.at(r, column);
  return sum;
}

/// Scales row 0, then the columns, so that the rows add up to ones. Each column forbids one factor at most, so one is
/// left of the 255.
void make_sums_one(gf::Matrix& matrix, unsigned k) {
  std::uint8_t factor = 1;
  const auto leaves_zero = [&](unsigned j) { return column_sum(matrix, j, factor) == 0; };
  for (unsigned j = 0; j < k; ++j)
    if (leaves_zero(j)) {
      ++factor;
      j = ~0U;  // look at all columns again
    }
  for (unsigned j = 0; j < k; ++j) {
    matrix.at(0, j) = gf::multiply(matrix.at(0, j), factor);
    scale_column(matrix, j, gf::inverse(column_sum(matrix, j, 1)));
  }
}

SparseMatrix lrc_checks(const Parameters& parameters) {
  const auto [k, l, g, uniform] = parameters;
  gf::Matrix matrix = base_matrix(parameters);
  if (uniform) make_sums_one(matrix, k);
  SparseMatrix checks(std::size_t{k} + l + g);
  for (unsigned r = 1; r <= g; ++r) {
    SparseRow row{{k + l + r - 1, 1}};
    for (unsigned j = 0; j < k; ++j) row.push_back({j, matrix.at(r, j)});
    checks.add_row(std::move(row));
  }
  std::vector<SparseRow> groups(l);
  for (unsigned member = 0; member < parameters.member_count(); ++member)
    groups[parameters.group_of(member)].push_back({member < k ? member : l + member, 1});
  for (unsigned group = 0; group < l; ++group) {
    groups[group].push_back({k + group, 1});
    checks.add_row(std::move(groups[group]));
  }
  return checks;
}

Result<Parameters> parse_parameters(const CodeText& text) {
  if (text.numbers.size() != 3)
    return wrong_code("{} numbers were given, k, l and g are wanted, as in lrc(12,2,2)", {text.numbers.size()});
  Parameters parameters{text.numbers[0], text.numbers[1], text.numbers[2]};
  if (parameters.k == 0 || parameters.l == 0 || parameters.g == 0)
    return wrong_code("k, l and g must be at least 1; without global parities use xor in groups of your own");
  const std::uint64_t n = std::uint64_t{parameters.k} + parameters.l + parameters.g;
  if (n > chunk_count_max) return wrong_code("k + l + g is {}, the most is {}", {n, chunk_count_max});
  if (parameters.l > parameters.k)
    return wrong_code("l is {}, more groups than the k = {} data chunks; the nearest legal l is {}",
                      {parameters.l, parameters.k, parameters.k});
  PARAPET_CHECK(check_options(text, {"groups"}, "lrc has one option: groups"));
  const auto groups = text.options.find("groups");
  if (groups == text.options.end()) return parameters;
  if (groups->second != "uniform" && groups->second != "data") return wrong_code("groups is data or uniform");
  parameters.uniform = groups->second == "uniform";
  return parameters;
}

}  // namespace

MadeCode make_lrc(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(const Parameters parameters, parse_parameters(text));
  const auto [k, l, g, uniform] = parameters;
  const Shape shape{.k = k, .m = l + g, .alpha = 1, .tolerance = g + 1};
  std::string canonical = "lrc(" + std::to_string(k) + "," + std::to_string(l) + "," + std::to_string(g);
  if (uniform) canonical.append(",groups=uniform");
  return std::shared_ptr<const CodeImpl>(std::make_shared<CodeImpl>(
      canonical + ")", shape, LinearMap::from_checks(lrc_checks(parameters), shape), kernels));
}

}  // namespace parapet::codec

#include "codec/oracle/definition.h"
#include "codec/oracle/groups.h"
#include "codec/oracle/reed_solomon.h"

namespace parapet::codec::oracle {

namespace {

/// Row r holds x^r for an x of each data chunk: element number s of group i is 2^(i + 17 s), so that a group's elements
/// lie in a one-dimensional subspace over GF(16) = {0, 2^0, 2^17, 2^34, ...} of its own.
std::vector<Bytes> powers(const Groups& groups, unsigned k, unsigned row_count) {
  std::vector<Bytes> rows(row_count, Bytes(k));
  for (unsigned i = 0; i < groups.size(); ++i)
    for (unsigned s = 0; s < groups[i].size(); ++s)
      for (unsigned r = 0; r < row_count && groups[i][s] < k; ++r)
        rows[r][groups[i][s]] = power(power(2, i + 17 * s), r);
  return rows;
}

/// Cauchy with scaled columns, so that the first row is all ones.
std::vector<Bytes> scaled_cauchy(unsigned k, unsigned row_count) {
  auto columns = transposed(reed_solomon_matrix("cauchy", k, row_count));
  for (Bytes& column : columns) scale(column, inverse(column[0]));
  return transposed(columns);
}

/// Whether there are subspaces enough, of elements enough, for all data.
bool fits_subspaces(const Groups& groups, unsigned k) {
  for (unsigned i = 0; i < groups.size(); ++i) {
    unsigned data_count = 0;
    for (const unsigned member : groups[i]) data_count += member < k ? 1 : 0;
    if (data_count > 15 || (data_count > 0 && i >= 17)) return false;
  }
  return true;
}

std::uint8_t sum(const Bytes& column) {
  std::uint8_t total = 0;
  for (const std::uint8_t element : column) total ^= element;
  return total;
}

/// The first row by the smallest factor that leaves no column a sum of zero; then each column divided by its sum.
std::vector<Bytes> with_sums_of_one(const std::vector<Bytes>& rows) {
  for (unsigned factor = 1; factor < 256; ++factor) {
    auto columns = transposed(rows);
    bool no_zero = true;
    for (Bytes& column : columns) {
      column[0] = times(column[0], static_cast<std::uint8_t>(factor));
      no_zero &= sum(column) != 0;
    }
    if (!no_zero) continue;
    for (Bytes& column : columns) scale(column, inverse(sum(column)));
    return transposed(columns);
  }
  return {};
}

std::vector<Bytes> lrc_matrix(const Groups& groups, unsigned k, unsigned g, bool is_uniform) {
  const auto rows = g <= 2 && fits_subspaces(groups, k) ? powers(groups, k, g + 1) : scaled_cauchy(k, g + 1);
  return is_uniform ? with_sums_of_one(rows) : rows;
}

}  // namespace

Definition define_lrc(const CodeName& name) {
  const unsigned k = name.numbers[0], l = name.numbers[1], g = name.numbers[2];
  const bool is_uniform = name.options.contains("groups") && name.options.at("groups") == "uniform";
  const Groups groups = even_runs(is_uniform ? k + g : k, l);
  const Encode encode = [matrix = lrc_matrix(groups, k, g, is_uniform), groups, k, l, g](const Columns& data) {
    Columns parity = zeros(l + g, 1, data);
    for (unsigned r = 1; r <= g; ++r)
      for (unsigned j = 0; j < k; ++j) add_scaled(parity[l + r - 1][0], data[j][0], matrix[r][j]);
    for (unsigned i = 0; i < l; ++i)
      for (const unsigned member : groups[i])
        add(parity[i][0], member < k ? data[member][0] : parity[l + member - k][0]);
    return parity;
  };
  return {.k = k, .m = l + g, .is_mds = l == 1, .encode = encode};
}

}  // namespace parapet::codec::oracle

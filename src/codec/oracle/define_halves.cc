// Two sub-chunks a chunk, the halves a and b: Reed-Solomon whose parities carry sums of halves a besides.
#include "codec/oracle/definition.h"
#include "codec/oracle/groups.h"
#include "codec/oracle/reed_solomon.h"

namespace parapet::codec::oracle {

namespace {

constexpr unsigned a = 0;
constexpr unsigned b = 1;

/// Halves a and b of plain Reed-Solomon.
Columns plain_parity(const std::vector<Bytes>& matrix, const Columns& data) {
  Columns parity = zeros(static_cast<unsigned>(matrix.size()), 2, data);
  for (unsigned r = 0; r < matrix.size(); ++r)
    for (unsigned j = 0; j < data.size(); ++j)
      for (const unsigned half : {a, b}) add_scaled(parity[r][half], data[j][half], matrix[r][j]);
  return parity;
}

Definition define_xrs(unsigned k, unsigned m) {
  const Encode encode = [matrix = reed_solomon_matrix("cauchy", k, m), m](const Columns& data) {
    Columns parity = plain_parity(matrix, data);
    for (unsigned i = 0; i < data.size(); ++i) add(parity[xrs_parity(i, m)][b], data[i][a]);
    return parity;
  };
  return {.k = k, .m = m, .alpha = 2, .encode = encode};
}

/// Cauchy with scaled columns, so that the last row is all ones.
std::vector<Bytes> hitchhiker_matrix(unsigned k, unsigned m) {
  auto columns = transposed(reed_solomon_matrix("cauchy", k, m));
  for (Bytes& column : columns) scale(column, inverse(column.back()));
  return transposed(columns);
}

Definition define_hitchhiker(unsigned k, unsigned m) {
  const Encode encode = [matrix = hitchhiker_matrix(k, m), groups = hitchhiker_groups(k, m), m](const Columns& data) {
    Columns parity = plain_parity(matrix, data);
    for (unsigned r = 1; r < m; ++r)
      for (const unsigned i : groups[r - 1]) add(parity[r][b], data[i][a]);
    add(parity[m - 1][a], parity[m - 1][b]);
    return parity;
  };
  return {.k = k, .m = m, .alpha = 2, .encode = encode};
}

}  // namespace

Definition define_halves(const CodeName& name) {
  return (name.family == "xrs" ? define_xrs : define_hitchhiker)(name.numbers[0], name.numbers[1]);
}

}  // namespace parapet::codec::oracle

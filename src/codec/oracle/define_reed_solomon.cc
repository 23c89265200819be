// One sub-chunk a chunk: parity is a matrix times the data.
#include "codec/oracle/definition.h"
#include "codec/oracle/reed_solomon.h"

namespace parapet::codec::oracle {

namespace {

std::vector<Bytes> matrix_of(const CodeName& name, unsigned k, unsigned m) {
  if (name.family == "xor" || name.family == "replication") return std::vector<Bytes>(m, Bytes(k, 1));
  if (name.family == "reed_sol_r6_op") return reed_solomon_matrix("isal", k, 2);
  const auto matrix = name.options.find("matrix");
  return reed_solomon_matrix(matrix == name.options.end() ? "cauchy" : matrix->second, k, m);
}

}  // namespace

Definition define_reed_solomon(const CodeName& name) {
  const unsigned k = name.numbers[0], m = name.numbers[1];
  const Encode encode = [matrix = matrix_of(name, k, m), k, m](const Columns& data) {
    Columns parity = zeros(m, 1, data);
    for (unsigned r = 0; r < m; ++r)
      for (unsigned j = 0; j < k; ++j) add_scaled(parity[r][0], data[j][0], matrix[r][j]);
    return parity;
  };
  return {.k = k, .m = m, .is_mds = !name.options.contains("unsafe"), .encode = encode};
}

}  // namespace parapet::codec::oracle

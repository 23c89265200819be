#include "codec/linear_map.h"

#include "base/assert.h"
#include "gf/gf256.h"

namespace parapet::codec {

LinearMap LinearMap::from_generator(SparseMatrix generator) {
  const auto data_count = static_cast<std::uint32_t>(generator.column_count());
  SparseMatrix checks(generator.column_count() + generator.row_count());
  for (std::uint32_t i = 0; i < generator.row_count(); ++i) {
    SparseRow row = generator.row(i);
    row.push_back({data_count + i, 1});
    checks.add_row(std::move(row));
  }
  return {std::move(generator), std::move(checks)};
}

LinearMap LinearMap::from_checks(SparseMatrix checks, const Shape& shape) {
  const std::uint32_t data_count = shape.k * shape.alpha;
  const std::uint32_t parity_count = shape.m * shape.alpha;
  std::vector<SparseRow> parities(parity_count);
  std::vector<bool> defined(parity_count);
  for (std::uint32_t i = 0; i < parity_count; ++i) {
    SparseRow sum;
    const Entry* new_parity = nullptr;
    for (const Entry& entry : checks.row(i)) {
      const bool is_data = entry.column < data_count;
      if (is_data) add_scaled(sum, {&entry, 1}, 1);
      if (is_data) continue;
      if (defined[entry.column - data_count]) {
        add_scaled(sum, parities[entry.column - data_count], entry.coefficient);
        continue;
      }
      PARAPET_ASSERT(new_parity == nullptr);
      new_parity = &entry;
    }
    PARAPET_ASSERT(new_parity != nullptr);
    const std::uint32_t parity = new_parity->column - data_count;
    add_scaled(parities[parity], sum, gf::inverse(new_parity->coefficient));
    defined[parity] = true;
  }
  SparseMatrix generator(data_count);
  for (SparseRow& row : parities) generator.add_row(std::move(row));
  return {std::move(generator), std::move(checks)};
}

void LinearMap::add_sum_of_checks(std::span<const std::uint32_t> rows) {
  SparseRow sum;
  for (const std::uint32_t row : rows) add_scaled(sum, checks.row(row), 1);
  checks.add_row(std::move(sum));
}

}  // namespace parapet::codec

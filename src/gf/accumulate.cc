#include "gf/accumulate.h"

#include <algorithm>
#include <cstring>

namespace parapet::gf {

namespace {

constexpr std::size_t table_size_max = 32;
constexpr std::size_t columns_per_pass_max = 32;

}  // namespace

Coefficients::Coefficients(const Kernels& kernels, const Matrix& matrix)
    : kernels_(&kernels),
      column_count_(matrix.column_count()),
      tables_(matrix.row_count() * matrix.column_count() * kernels.table_size) {
  std::uint8_t* table = tables_.data();
  for (std::size_t i = 0; i < matrix.row_count(); ++i)
    for (std::size_t j = 0; j < column_count_; ++j, table += kernels.table_size)
      kernels.prepare(matrix.at(i, j), table);
}

void Coefficients::gather(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                          std::uint8_t* tables) const {
  const std::size_t size = kernels_->table_size;
  for (const std::uint32_t column : columns)
    for (const std::uint32_t row : rows) {
      std::memcpy(tables, tables_.data() + (row * column_count_ + column) * size, size);
      tables += size;
    }
}

void Coefficients::accumulate(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                              const std::uint8_t* const* sources, std::uint8_t* const* outputs,
                              std::size_t length) const {
  alignas(64) std::uint8_t tables[rows_per_pass_max * columns_per_pass_max * table_size_max];
  for (std::size_t i = 0; i < rows.size(); i += rows_per_pass_max)
    for (std::size_t j = 0; j < columns.size(); j += columns_per_pass_max) {
      const auto some_rows = rows.subspan(i, std::min(rows_per_pass_max, rows.size() - i));
      const auto some_columns = columns.subspan(j, std::min(columns_per_pass_max, columns.size() - j));
      gather(some_rows, some_columns, tables);
      kernels_->product(Pass{.tables = tables,
                             .sources = sources + j,
                             .source_count = some_columns.size(),
                             .outputs = outputs + i,
                             .row_count = some_rows.size(),
                             .end = length,
                             .accumulate = true});
    }
}

void Coefficients::accumulate_difference(std::span<const std::uint32_t> rows, std::uint32_t column,
                                         const std::uint8_t* before, const std::uint8_t* after,
                                         std::uint8_t* const* outputs, std::size_t length) const {
  alignas(64) std::uint8_t tables[rows_per_pass_max * table_size_max];
  const std::uint8_t* const sources[] = {before, after};
  for (std::size_t i = 0; i < rows.size(); i += rows_per_pass_max) {
    const auto some_rows = rows.subspan(i, std::min(rows_per_pass_max, rows.size() - i));
    gather(some_rows, {&column, 1}, tables);
    kernels_->add_product(Pass{.tables = tables,
                               .sources = sources,
                               .source_count = after == nullptr ? std::size_t{1} : std::size_t{2},
                               .outputs = outputs + i,
                               .row_count = some_rows.size(),
                               .end = length,
                               .accumulate = true});
  }
}

void accumulate_terms(const Kernels& kernels, const std::uint8_t* const* terms,
                      std::span<const std::uint32_t> term_indices, std::span<const std::uint32_t> terms_end,
                      std::uint8_t* const* outputs, std::size_t length) {
  for (std::size_t i = 0; i < terms_end.size(); i += rows_per_pass_max) {
    const std::size_t count = std::min(rows_per_pass_max, terms_end.size() - i);
    const std::uint32_t first = i == 0 ? 0 : terms_end[i - 1];
    std::uint32_t ends[rows_per_pass_max];
    for (std::size_t p = 0; p < count; ++p) ends[p] = terms_end[i + p] - first;
    kernels.product(Pass{.terms = terms,
                         .term_indices = term_indices.data() + first,
                         .terms_end = ends,
                         .outputs = outputs + i,
                         .row_count = count,
                         .end = length,
                         .accumulate = true});
  }
}

}  // namespace parapet::gf

#include "gf/accumulate.h"

#include <algorithm>
#include <cstring>

namespace parapet::gf {

namespace {

constexpr std::size_t table_size_max = 32;
constexpr std::size_t columns_per_pass_max = 32;

}  // namespace

Coefficients::Coefficients(const Kernels& kernels, std::span<const std::uint8_t> elements)
    : kernels_(&kernels), tables_(elements.size() * kernels.table_size) {
  std::uint8_t* table = tables_.data();
  for (const std::uint8_t element : elements) {
    kernels.prepare(element, table);
    table += kernels.table_size;
  }
}

void Coefficients::copy_table(std::uint32_t pick, std::uint8_t* table) const {
  const std::size_t size = kernels_->table_size;
  std::memcpy(table, tables_.data() + pick * size, size);
}

void Coefficients::accumulate(std::span<const std::uint32_t> picks, std::size_t row_count, std::size_t column_count,
                              const std::uint8_t* const* sources, std::uint8_t* const* outputs,
                              std::size_t length) const {
  alignas(64) std::uint8_t tables[rows_per_pass_max * columns_per_pass_max * table_size_max];
  for (std::size_t i = 0; i < row_count; i += rows_per_pass_max)
    for (std::size_t j = 0; j < column_count; j += columns_per_pass_max) {
      const std::size_t some_rows = std::min(rows_per_pass_max, row_count - i);
      const std::size_t some_columns = std::min(columns_per_pass_max, column_count - j);
      std::uint8_t* table = tables;
      for (std::size_t column = j; column < j + some_columns; ++column)
        for (std::size_t row = i; row < i + some_rows; ++row, table += kernels_->table_size)
          copy_table(picks[row * column_count + column], table);
      kernels_->product(Pass{.tables = tables,
                             .sources = sources + j,
                             .source_count = some_columns,
                             .outputs = outputs + i,
                             .row_count = some_rows,
                             .end = length,
                             .accumulate = true});
    }
}

void Coefficients::accumulate_difference(std::span<const std::uint32_t> picks, const std::uint8_t* before,
                                         const std::uint8_t* after, std::uint8_t* const* outputs,
                                         std::size_t length) const {
  alignas(64) std::uint8_t tables[rows_per_pass_max * table_size_max];
  const std::uint8_t* const sources[] = {before, after};
  for (std::size_t i = 0; i < picks.size(); i += rows_per_pass_max) {
    const std::size_t some_rows = std::min(rows_per_pass_max, picks.size() - i);
    for (std::size_t p = 0; p < some_rows; ++p) copy_table(picks[i + p], tables + p * kernels_->table_size);
    kernels_->add_product(Pass{.tables = tables,
                               .sources = sources,
                               .source_count = after == nullptr ? std::size_t{1} : std::size_t{2},
                               .outputs = outputs + i,
                               .row_count = some_rows,
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

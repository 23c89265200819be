#include "codec/delta_map.h"

#include <algorithm>

#include "base/stack_array.h"

namespace parapet::codec {

namespace {
constexpr std::size_t row_count_inline = 512;
}

DeltaMap::DeltaMap(const gf::Kernels& kernels, gf::Matrix generator, std::size_t alpha)
    : kernels_(&kernels),
      generator_(std::move(generator)),
      alpha_(alpha),
      coefficients_(kernels, generator_),
      rows_of_column_(generator_.column_count()) {
  for (std::size_t column = 0; column < generator_.column_count(); ++column)
    for (std::uint32_t row = 0; row < generator_.row_count(); ++row)
      if (generator_.at(row, column) != 0) rows_of_column_[column].push_back(row);
}

std::uint8_t* DeltaMap::target(std::span<const Region> parity, std::size_t row, std::size_t sub_size) const {
  const Region& chunk = parity[row / alpha_];
  return chunk.data == nullptr ? nullptr : chunk.data + (row % alpha_) * sub_size;
}

void DeltaMap::add_difference(std::size_t column, std::size_t position, const std::uint8_t* before,
                              const std::uint8_t* after, std::size_t length, std::span<const Region> parity,
                              std::size_t sub_size) const {
  const auto& candidates = rows_of_column_[column];
  base::StackArray<std::uint32_t, row_count_inline> rows(candidates.size());
  base::StackArray<std::uint8_t*, row_count_inline> targets(candidates.size());
  std::size_t count = 0;
  for (const std::uint32_t row : candidates) {
    std::uint8_t* const region = target(parity, row, sub_size);
    if (region == nullptr) continue;
    rows[count] = row;
    targets[count++] = region + position;
  }
  coefficients_.accumulate_difference(rows.first(count), static_cast<std::uint32_t>(column), before, after,
                                      targets.data(), length);
}

/// Whether the row only XORs among these columns.
bool DeltaMap::is_plain(std::size_t row, std::span<const std::uint32_t> columns) const {
  return std::all_of(columns.begin(), columns.end(),
                     [&](std::uint32_t column) { return generator_.at(row, column) <= 1; });
}

void DeltaMap::add_columns(std::span<const std::uint32_t> columns, const std::uint8_t* const* deltas,
                           std::span<const Region> parity, std::size_t sub_size) const {
  const std::size_t row_count = generator_.row_count();
  base::StackArray<std::uint32_t, row_count_inline> rows(row_count);
  base::StackArray<std::uint8_t*, row_count_inline> targets(row_count);
  base::StackArray<std::uint32_t, row_count_inline> terms(columns.size());
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < row_count; ++row) {
    std::uint8_t* const region = target(parity, row, sub_size);
    if (region == nullptr) continue;
    if (!is_plain(row, columns)) {
      rows[count] = row;
      targets[count++] = region;
      continue;
    }
    std::uint32_t term_count = 0;
    for (std::uint32_t j = 0; j < columns.size(); ++j)
      if (generator_.at(row, columns[j]) == 1) terms[term_count++] = j;
    if (term_count > 0)
      gf::accumulate_terms(*kernels_, deltas, terms.first(term_count), {&term_count, 1}, &region, sub_size);
  }
  coefficients_.accumulate(rows.first(count), columns, deltas, targets.data(), sub_size);
}

}  // namespace parapet::codec

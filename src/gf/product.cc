#include "gf/product.h"

#include <algorithm>

#include "base/assert.h"
#include "gf/cache_size.h"

namespace parapet::gf {

namespace {

// Several groups read every source once each: a stretch of this size is still in cache for the next one.
constexpr std::size_t stretch_bytes = 8192;

}  // namespace

Store store_for(std::size_t stripe_bytes) {
  return stripe_bytes >= last_level_cache_bytes() / 2 ? Store::streamed : Store::cached;
}

Product::Product(const Kernels& kernels, const Matrix& coefficients, const Terms& terms)
    : kernels_(&kernels),
      row_count_(coefficients.row_count()),
      column_count_(coefficients.column_count()),
      tables_(row_count_ * column_count_ * kernels.table_size) {
  PARAPET_ASSERT(row_count_ > 0 && (terms.empty() || terms.size() == row_count_));
  const std::size_t group_count = (row_count_ + rows_per_pass_max - 1) / rows_per_pass_max;
  std::uint8_t* table = tables_.data();
  for (std::size_t g = 0; g < group_count; ++g) {
    const std::size_t first = row_count_ * g / group_count;
    Group group{first, row_count_ * (g + 1) / group_count - first, {}, {}};
    for (std::size_t j = 0; j < column_count_; ++j)
      for (std::size_t p = 0; p < group.row_count; ++p, table += kernels.table_size)
        kernels.prepare(coefficients.at(first + p, j), table);
    for (std::size_t p = 0; p < group.row_count && !terms.empty(); ++p) {
      const auto& row = terms[first + p];
      group.term_indices.insert(group.term_indices.end(), row.begin(), row.end());
      group.terms_end.push_back(static_cast<std::uint32_t>(group.term_indices.size()));
    }
    if (group.term_indices.empty()) group.terms_end.clear();
    groups_.push_back(std::move(group));
  }
}

std::vector<std::uint32_t> Product::term_indices() const {
  std::vector<std::uint32_t> indices;
  for (const Group& group : groups_)
    indices.insert(indices.end(), group.term_indices.begin(), group.term_indices.end());
  return indices;
}

void Product::run(const std::uint8_t* const* sources, const std::uint8_t* const* terms, std::uint8_t* const* outputs,
                  std::size_t length, Store store) const {
  const auto kernel = store == Store::streamed ? kernels_->product_streaming : kernels_->product;
  const std::size_t step = groups_.size() == 1 ? length : stretch_bytes;
  for (std::size_t begin = 0; begin < length; begin += step) {
    const std::uint8_t* tables = tables_.data();
    for (const Group& group : groups_) {
      kernel(Pass{.tables = tables,
                  .sources = sources,
                  .source_count = column_count_,
                  .terms = terms,
                  .term_indices = group.term_indices.data(),
                  .terms_end = group.terms_end.empty() ? nullptr : group.terms_end.data(),
                  .outputs = outputs + group.first_row,
                  .row_count = group.row_count,
                  .begin = begin,
                  .end = std::min(begin + step, length)});
      tables += group.row_count * column_count_ * kernels_->table_size;
    }
  }
}

}  // namespace parapet::gf

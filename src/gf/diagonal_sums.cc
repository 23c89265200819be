#include "gf/diagonal_sums.h"

#include <algorithm>

#include "base/assert.h"

namespace parapet::gf {

namespace {

// First caches have 64 sets of 64-byte lines and 8 ways or more. With a few cells more than ways it still pays.
constexpr std::size_t line_bytes = 64;
constexpr std::size_t set_count = 64;
constexpr unsigned cells_in_set_max = 12;

}  // namespace

bool DiagonalSums::supports(const Kernels& kernels, std::size_t row_count) {
  return row_count <= kernels.diagonal_rows_max && std::ranges::count(diagonal_row_counts, row_count) > 0;
}

DiagonalSums::DiagonalSums(const Kernels& kernels, std::size_t row_count, std::size_t column_count,
                           DiagonalAddend addend)
    : kernels_(&kernels), row_count_(row_count), column_count_(column_count), addend_(addend) {
  PARAPET_ASSERT(supports(kernels, row_count));
}

bool DiagonalSums::suits(const std::uint8_t* const* cells) const {
  std::uint8_t cells_in_set[set_count] = {};
  for (std::size_t i = 0; i < row_count_ * column_count_; ++i) {
    const std::size_t set = reinterpret_cast<std::uintptr_t>(cells[i]) / line_bytes % set_count;
    if (++cells_in_set[set] > cells_in_set_max) return false;
  }
  return true;
}

void DiagonalSums::run(const std::uint8_t* const* cells, std::uint8_t* const* outputs, std::size_t length) const {
  kernels_->diagonal_sums({.cells = cells,
                           .row_count = row_count_,
                           .column_count = column_count_,
                           .addend = addend_,
                           .outputs = outputs,
                           .length = length});
}

}  // namespace parapet::gf

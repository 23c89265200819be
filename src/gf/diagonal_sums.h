// Row sums and diagonal sums of an array in one pass over its cells: the parities of RDP and EVENODD.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gf/isa.h"

namespace parapet::gf {

/// Of an array of `row_count` rows and `column_count` columns; see `DiagonalPass`.
class DiagonalSums {
 public:
  /// Whether the kernels have it for so many rows. Elsewhere the sums have to be made one by one.
  static bool supports(const Kernels& kernels, std::size_t row_count);

  DiagonalSums(const Kernels& kernels, std::size_t row_count, std::size_t column_count, DiagonalAddend addend);

  /// Whether one pass over these cells is the fast way. Cells that are multiples of a large power of two apart fall
  /// into few sets of the first cache and push each other out before a line is used up; sums made one by one go over
  /// few cells at a time.
  [[nodiscard]] bool suits(const std::uint8_t* const* cells) const;

  /// Writes `length` bytes of the row sums, then of the diagonal sums. cells: column by column. Any alignment; outputs
  /// overlap nothing else.
  void run(const std::uint8_t* const* cells, std::uint8_t* const* outputs, std::size_t length) const;

 private:
  const Kernels* kernels_;
  std::size_t row_count_;
  std::size_t column_count_;
  DiagonalAddend addend_;
};

}  // namespace parapet::gf

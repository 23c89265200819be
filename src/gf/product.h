// The matrix-times-regions product: what encoding and decoding are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "gf/isa.h"
#include "gf/matrix.h"

namespace parapet::gf {

/// Whether outputs are written through the cache or past it.
enum class Store : std::uint8_t { cached, streamed };

/// What suits a stripe (inputs and outputs together) of this size that is not read again at once: from about half of
/// the last-level cache on it would not stay there anyway.
Store store_for(std::size_t stripe_bytes);

/// A matrix prepared for one instruction set. Row p of the product is
///     sum over columns j of coefficients(p, j) * source j    XOR    the regions that terms(p) lists.
/// Immutable, hence usable by any number of threads; the prepared form never leaves the process.
class Product {
 public:
  /// The indices of the regions that each row adds unmultiplied.
  using Terms = std::vector<std::vector<std::uint32_t>>;

  /// coefficients: at least one row; no column makes a pure XOR. terms: one list per row, or empty for none at all.
  Product(const Kernels& kernels, const Matrix& coefficients, const Terms& terms = {});

  [[nodiscard]] std::size_t row_count() const { return row_count_; }
  [[nodiscard]] std::size_t column_count() const { return column_count_; }
  /// What all rows' lists name.
  [[nodiscard]] std::vector<std::uint32_t> term_indices() const;

  /// Writes `length` bytes of each row. sources: column_count regions; terms: indexed by what the lists name (may be
  /// null when there are none); outputs: row_count regions. Any alignment; outputs overlap nothing else.
  void run(const std::uint8_t* const* sources, const std::uint8_t* const* terms, std::uint8_t* const* outputs,
           std::size_t length, Store store) const;

 private:
  /// Rows that one pass of the kernel computes together.
  struct Group {
    std::size_t first_row;
    std::size_t row_count;
    std::vector<std::uint32_t> term_indices;
    std::vector<std::uint32_t> terms_end;  // empty when no row has terms
  };

  const Kernels* kernels_;
  std::size_t row_count_;
  std::size_t column_count_;
  std::vector<Group> groups_;
  base::AlignedBuffer tables_;  // group by group, therein column by column, therein row by row
};

}  // namespace parapet::gf

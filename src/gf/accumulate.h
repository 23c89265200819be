// Adding products to regions that already hold something: what updates are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "gf/isa.h"
#include "gf/matrix.h"

namespace parapet::gf {

/// A matrix whose elements are prepared one by one, so that any rows and columns can be picked for one call.
/// Immutable, hence usable by any number of threads.
class Coefficients {
 public:
  Coefficients(const Kernels& kernels, const Matrix& matrix);

  /// outputs[i] ^= sum over j of element(rows[i], columns[j]) * sources[j], for `length` bytes.
  /// outputs: as many as rows; sources: as many as columns; any alignment; outputs overlap nothing else.
  void accumulate(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                  const std::uint8_t* const* sources, std::uint8_t* const* outputs, std::size_t length) const;

  /// outputs[i] ^= element(rows[i], column) * (before ^ after); `after` may be null, which stands for zeros.
  void accumulate_difference(std::span<const std::uint32_t> rows, std::uint32_t column, const std::uint8_t* before,
                             const std::uint8_t* after, std::uint8_t* const* outputs, std::size_t length) const;

 private:
  /// Copies the elements of some rows and columns to `tables`, in the order of a Pass.
  void gather(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns, std::uint8_t* tables) const;

  const Kernels* kernels_;
  std::size_t column_count_;
  base::AlignedBuffer tables_;
};

/// outputs[i] ^= XOR of the regions that row i lists: terms[term_indices[t]] for t from the end of row i-1 to
/// terms_end[i]. outputs: as many as terms_end.
void accumulate_terms(const Kernels& kernels, const std::uint8_t* const* terms,
                      std::span<const std::uint32_t> term_indices, std::span<const std::uint32_t> terms_end,
                      std::uint8_t* const* outputs, std::size_t length);

}  // namespace parapet::gf

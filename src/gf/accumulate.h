// Adding products to regions that already hold something: what updates are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/aligned_buffer.h"
#include "gf/isa.h"

namespace parapet::gf {

/// Field elements prepared one by one, so that any of them can be picked for one call, by their places in the list.
/// Immutable, hence usable by any number of threads.
class Coefficients {
 public:
  Coefficients(const Kernels& kernels, std::span<const std::uint8_t> elements);

  /// outputs[i] ^= sum over j of element(picks[i * column_count + j]) * sources[j], for `length` bytes.
  /// picks: row_count * column_count; outputs: row_count; sources: column_count; any alignment; outputs overlap nothing
  /// else.
  void accumulate(std::span<const std::uint32_t> picks, std::size_t row_count, std::size_t column_count,
                  const std::uint8_t* const* sources, std::uint8_t* const* outputs, std::size_t length) const;

  /// outputs[i] ^= element(picks[i]) * (before ^ after); `after` may be null, which stands for zeros.
  void accumulate_difference(std::span<const std::uint32_t> picks, const std::uint8_t* before,
                             const std::uint8_t* after, std::uint8_t* const* outputs, std::size_t length) const;

 private:
  void copy_table(std::uint32_t pick, std::uint8_t* table) const;

  const Kernels* kernels_;
  base::AlignedBuffer tables_;
};

/// outputs[i] ^= XOR of the regions that row i lists: terms[term_indices[t]] for t from the end of row i-1 to
/// terms_end[i]. outputs: as many as terms_end.
void accumulate_terms(const Kernels& kernels, const std::uint8_t* const* terms,
                      std::span<const std::uint32_t> term_indices, std::span<const std::uint32_t> terms_end,
                      std::uint8_t* const* outputs, std::size_t length);

}  // namespace parapet::gf

// A code as linear algebra over sub-chunks.
#pragma once

#include <cstdint>

#include "codec/shape.h"
#include "codec/sparse_matrix.h"

namespace parapet::codec {

/// Two views of one code. Columns number sub-chunks chunk by chunk: sub-chunk s of chunk c is c * alpha + s.
struct LinearMap {
  /// m * alpha rows by k * alpha columns: the parity sub-chunks from the data sub-chunks.
  SparseMatrix generator;
  /// Rows by n * alpha columns that give zero on every stripe. The first m * alpha are independent; more of them are
  /// sums of these that spare a repair some reads.
  SparseMatrix checks;

  /// The checks are the generator's rows, each with its own parity.
  static LinearMap from_generator(SparseMatrix generator);

  /// checks: at least m * alpha, of which each among the first m * alpha defines one parity sub-chunk from data and
  /// from parity that is defined before it.
  static LinearMap from_checks(SparseMatrix checks, const Shape& shape);

  /// Adds the sum of some checks to the checks.
  void add_sum_of_checks(std::span<const std::uint32_t> rows);
};

}  // namespace parapet::codec

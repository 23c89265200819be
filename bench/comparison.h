// One product of a matrix with chunks, made by the product, by the libraries beside it and by the two bounds of the
// machine: a row of figures.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/isal.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "bench/workbench.h"

namespace parapet::bench {

/// The buffers of one call: pointers into a stripe, which must outlive this.
struct Operands {
  std::size_t chunk_size = 0;
  unsigned source_count = 0;
  unsigned output_count = 0;
  std::uint8_t* const* sources = nullptr;
  std::uint8_t* const* outputs = nullptr;
  std::uint8_t* const* copies = nullptr;  ///< One per source, where memcpy puts them.
};

/// The same work by each. A call with number c uses entry c modulo their count of `operands`.
struct Comparison {
  std::vector<Operands> operands;
  Work parapet;
  /// The tables with which a library does it.
  std::function<Isal::Tables(const Isal&)> tables;
};

/// GB/s of each, and the product's rate divided by that of each library and of the fastest XOR.
std::vector<Column> comparison_columns(const std::vector<Isal>& beside);

/// Checks that the product and the libraries give `expected` for the first operands, then measures: the cells for
/// `comparison_columns`. `what` names the work in a failure.
Result<Row, Failure> compare(const Comparison& comparison, const Bytes& expected, const std::string& what,
                             const std::vector<Isal>& beside, const Sampling& sampling);

}  // namespace parapet::bench

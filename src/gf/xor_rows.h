// Sums of regions without any multiplication: what codes over GF(2) are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gf/isa.h"

namespace parapet::gf {

/// Rows of sums of numbered regions, computed one after the other: a row may add what rows before it wrote.
/// Immutable once its rows are added, hence usable by any number of threads.
class XorRows {
 public:
  explicit XorRows(const Kernels& kernels) : kernels_(&kernels) {}

  /// regions[target] = XOR of the regions `terms`: at least one, the target not among them.
  void add_row(std::uint32_t target, std::span<const std::uint32_t> terms);

  /// Computes `length` bytes of every row. Any alignment; targets overlap nothing else.
  void run(std::uint8_t* const* regions, std::size_t length) const;

 private:
  const Kernels* kernels_;
  std::vector<std::uint32_t> words_;  // As XorPass wants them.
};

}  // namespace parapet::gf

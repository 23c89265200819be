// What a change of data does to parity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gf/accumulate.h"
#include "parapet/region.h"

namespace parapet::codec {

/// The columns of a generator, each with the parity sub-chunks that depend on it. Immutable.
class DeltaMap {
 public:
  /// generator: m * alpha rows by k * alpha columns.
  DeltaMap(const gf::Kernels& kernels, gf::Matrix generator, std::size_t alpha);

  /// Data sub-chunk `column` changed at [position, position + length) from `before` to `after` (null: zeros): adds the
  /// difference to every parity that depends on it. parity: m whole chunks of alpha * sub_size bytes or null ones,
  /// which are left out.
  void add_difference(std::size_t column, std::size_t position, const std::uint8_t* before, const std::uint8_t* after,
                      std::size_t length, std::span<const Region> parity, std::size_t sub_size) const;

  /// Adds whole sub-chunks: deltas[j] belongs to data sub-chunk columns[j]. As above otherwise.
  void add_columns(std::span<const std::uint32_t> columns, const std::uint8_t* const* deltas,
                   std::span<const Region> parity, std::size_t sub_size) const;

 private:
  [[nodiscard]] std::uint8_t* target(std::span<const Region> parity, std::size_t row, std::size_t sub_size) const;
  [[nodiscard]] bool is_plain(std::size_t row, std::span<const std::uint32_t> columns) const;

  const gf::Kernels* kernels_;
  gf::Matrix generator_;
  std::size_t alpha_;
  gf::Coefficients coefficients_;
  std::vector<std::vector<std::uint32_t>> rows_of_column_;
};

}  // namespace parapet::codec

// What a change of data does to parity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/shape.h"
#include "codec/sparse_matrix.h"
#include "gf/accumulate.h"
#include "parapet/region.h"

namespace parapet::codec {

/// The columns of a generator, each with the parity sub-chunks that depend on it. Immutable.
class DeltaMap {
 public:
  /// generator: m * alpha rows by k * alpha columns.
  DeltaMap(const gf::Kernels& kernels, const SparseMatrix& generator, unsigned alpha);

  /// Bytes of one packet of data sub-chunk `column` changed from `before` to `after` (null: zeros), `offset` bytes into
  /// its packet in round `round`: adds the difference to every parity that depends on it. parity: m whole chunks or
  /// null ones, which are left out.
  void add_difference(std::size_t column, std::size_t round, std::size_t offset, const std::uint8_t* before,
                      const std::uint8_t* after, std::size_t length, std::span<const Region> parity,
                      const Packets& packets) const;

  /// Adds whole packets: deltas[j] belongs to data sub-chunk columns[j]. As above otherwise.
  void add_columns(std::span<const std::uint32_t> columns, std::size_t round, const std::uint8_t* const* deltas,
                   std::span<const Region> parity, const Packets& packets) const;

  /// The parity chunks (0..m-1) that depend on some sub-chunk of a data chunk.
  [[nodiscard]] std::vector<std::uint32_t> parities_of(unsigned chunk) const;

 private:
  /// A parity sub-chunk that depends on a column, and where its coefficient is among the prepared ones.
  struct Dependent {
    std::uint32_t row;
    std::uint32_t pick;
    bool is_one;
  };
  static constexpr std::uint32_t pick_of_zero = 0;

  [[nodiscard]] std::uint8_t* target(std::span<const Region> parity, std::uint32_t row, std::size_t round,
                                     const Packets& packets) const;

  const gf::Kernels* kernels_;
  unsigned alpha_;
  std::uint32_t row_count_;
  std::vector<std::vector<Dependent>> dependents_;  // by column, ascending rows
  gf::Coefficients coefficients_;
};

}  // namespace parapet::codec

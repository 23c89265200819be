// The table of kernel implementations: one entry per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parapet::gf {

/// Most output rows that one pass of a kernel computes.
inline constexpr std::size_t rows_per_pass_max = 6;

/// One pass: for every byte position in [begin, end)
///     outputs[p] (^)= sum over j of coefficient(p, j) * sources[j]   ^   XOR of the regions that are terms of row p.
/// Regions may have any alignment. Outputs overlap no other region; `accumulate` adds to what they hold.
struct Pass {
  const std::uint8_t* tables = nullptr;          // source_count * row_count prepared coefficients, source by source
  const std::uint8_t* const* sources = nullptr;  // source_count regions that are multiplied
  std::size_t source_count = 0;
  const std::uint8_t* const* terms = nullptr;   // regions that are only XORed, picked by
  const std::uint32_t* term_indices = nullptr;  // the rows' lists of indices into `terms`, row 0 first,
  const std::uint32_t* terms_end = nullptr;     // row p ending before terms_end[p]; null when no row has terms
  std::uint8_t* const* outputs = nullptr;       // row_count regions
  std::size_t row_count = 0;                    // 1..rows_per_pass_max
  std::size_t begin = 0;
  std::size_t end = 0;
  bool accumulate = false;
};

/// Rows of sums of numbered regions. Each row is a run of words: its target, the count of its terms (at least one), the
/// terms. A row may add what rows before it wrote; its target is none of its own terms and overlaps nothing else.
struct XorPass {
  std::uint8_t* const* regions = nullptr;  // `length` bytes each, any alignment
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* rows_end = nullptr;
  std::size_t length = 0;
};

/// What is added to the sum of a diagonal of `DiagonalPass`.
enum class DiagonalAddend : std::uint8_t {
  next_row_sum,   ///< Diagonal d gets the sum of row d + 1, if there is one: RDP, whose last column is the row sums.
  last_diagonal,  ///< Each gets the sum of diagonal R: EVENODD's adjuster.
};

/// The two parities of an array of R rows and some columns, in one pass. Cell (r, c) is region cells[c * R + r] and
/// lies on diagonal (r + c) mod (R + 1). Writes R row sums, then the R sums of diagonals 0 to R-1, each with its
/// addend.
struct DiagonalPass {
  const std::uint8_t* const* cells = nullptr;
  std::size_t row_count = 0;  // R: one of diagonal_row_counts, and at most the kernels' diagonal_rows_max
  std::size_t column_count = 0;
  DiagonalAddend addend = DiagonalAddend::next_row_sum;
  std::uint8_t* const* outputs = nullptr;  // 2 R regions
  std::size_t length = 0;
};
/// One less than a prime.
inline constexpr std::size_t diagonal_row_counts[] = {2, 4, 6, 10, 12};

/// What one instruction set offers. All implementations give the same bytes.
struct Kernels {
  const char* name;
  bool (*supported)();
  /// Bytes of one prepared coefficient.
  std::size_t table_size;
  void (*prepare)(std::uint8_t coefficient, std::uint8_t* table);
  /// For regions that are in cache, or soon needed there.
  void (*product)(const Pass& pass);
  /// For stripes larger than the cache: aligned outputs are stored past it.
  void (*product_streaming)(const Pass& pass);
  /// outputs[p] ^= coefficient(p, 0) * (sources[0] ^ sources[1]), or * sources[0] when source_count is 1. The tables
  /// are those of one source; there are no terms; `accumulate` is implied.
  void (*add_product)(const Pass& pass);
  /// Sums of regions, row after row; see `XorPass`.
  void (*xor_rows)(const XorPass& pass);
  /// See `DiagonalPass`: all sums of a column of tiles stay in registers, which are enough for so many rows.
  std::size_t diagonal_rows_max;
  void (*diagonal_sums)(const DiagonalPass& pass);
};

extern const Kernels scalar_kernels;
#if defined(__x86_64__)
extern const Kernels ssse3_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx2_gfni_kernels;
extern const Kernels avx512_kernels;
extern const Kernels avx512_gfni_kernels;
#elif defined(__aarch64__)
extern const Kernels neon_kernels;
#endif

}  // namespace parapet::gf

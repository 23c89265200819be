// The region kernels, written once over the primitives of an instruction set `Isa`:
//
//   Vector, width_bytes              a register of bytes and its size
//   diagonal_rows_max                rows of which 2 * rows + 2 fit into the registers
//   tile_width(rows)                 registers per stream and tile that fit beside the other operands
//   load, store, stream              whole registers, any alignment (stream: aligned to width_bytes)
//   load_partial, store_partial      the first `count` bytes, 0 < count < width_bytes; nothing beyond is touched
//   zero, add, add3                  the field's 0, the sum of two and of three, which is XOR
//   Split, split                     a source in the form that products want, made once for all rows
//   Factor, factor                   a prepared coefficient in registers
//   fold(sum, s, f)                  sum + s * f
//   fold2(sum, s0, f0, s1, f1)       sum + s0 * f0 + s1 * f1
//   table_size, prepare              the prepared form in memory
//
// Included by one file per instruction set, compiled with that set's flags: everything here and in those files has
// internal linkage and no standard library template is used, so that no code for a better machine can be picked by
// the linker for a plain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "gf/kernels/kernels.h"

#if defined(__clang__)
#define PARAPET_UNROLL _Pragma("clang loop unroll(full)")
#define PARAPET_UNROLL_ALL PARAPET_UNROLL
#else
#define PARAPET_UNROLL _Pragma("GCC unroll 8")
#define PARAPET_UNROLL_ALL _Pragma("GCC unroll 16")
#endif
#define PARAPET_INLINE inline __attribute__((always_inline))

namespace parapet::gf {
namespace {

/// Access to whole registers.
template <class Isa>
struct Whole {
  static PARAPET_INLINE void prefetch(const std::uint8_t*) {}
  PARAPET_INLINE typename Isa::Vector load(const std::uint8_t* bytes) const { return Isa::load(bytes); }
  PARAPET_INLINE void store(std::uint8_t* bytes, typename Isa::Vector v) const { Isa::store(bytes, v); }
};

/// As Whole, for many sources. Every source is a stream of its own, and hardware prefetchers follow about a dozen; with
/// fewer, prefetching by hand costs more than it brings. It goes to the second level only: in the first, the lines of
/// many page-aligned sources push each other out of the few ways of a set before they are used.
template <class Isa>
struct Prefetched : Whole<Isa> {
  static PARAPET_INLINE void prefetch(const std::uint8_t* bytes) { __builtin_prefetch(bytes + 512, 0, 2); }
};
constexpr std::size_t sources_to_prefetch_min = 9;

/// As Prefetched, and stores go past the cache; only for aligned outputs.
template <class Isa>
struct Streamed : Prefetched<Isa> {
  PARAPET_INLINE void store(std::uint8_t* bytes, typename Isa::Vector v) const { Isa::stream(bytes, v); }
};

/// Access to the last bytes of a region.
template <class Isa>
struct Partial {
  std::size_t count;
  static PARAPET_INLINE void prefetch(const std::uint8_t*) {}
  PARAPET_INLINE typename Isa::Vector load(const std::uint8_t* bytes) const { return Isa::load_partial(bytes, count); }
  PARAPET_INLINE void store(std::uint8_t* bytes, typename Isa::Vector v) const { Isa::store_partial(bytes, v, count); }
};

/// M rows by U registers of sums, held in registers.
template <class Isa, int M, int U>
struct Sums {
  typename Isa::Vector at[M][U];

  PARAPET_INLINE void clear() {
    PARAPET_UNROLL for (int p = 0; p < M; ++p) PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] = Isa::zero();
  }
  template <class Access>
  PARAPET_INLINE void load(const std::uint8_t* const* regions, std::size_t offset, Access access) {
    PARAPET_UNROLL for (int p = 0; p < M; ++p) PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] =
        access.load(regions[p] + offset + Isa::width_bytes * u);
  }
  template <class Access>
  PARAPET_INLINE void store(std::uint8_t* const* regions, std::size_t offset, Access access) const {
    PARAPET_UNROLL for (int p = 0; p < M; ++p) PARAPET_UNROLL for (int u = 0; u < U; ++u)
        access.store(regions[p] + offset + Isa::width_bytes * u, at[p][u]);
  }

  /// Adds the products of sources j and j + 1: one three-input XOR takes in both.
  template <class Access>
  PARAPET_INLINE void fold_pair(const Pass& pass, std::size_t j, std::size_t offset, Access access) {
    constexpr std::size_t column = M * Isa::table_size;
    const std::uint8_t* tables = pass.tables + j * column;
    const std::uint8_t* first = pass.sources[j] + offset;
    const std::uint8_t* second = pass.sources[j + 1] + offset;
    typename Isa::Split a[U], b[U];
    PARAPET_UNROLL for (int u = 0; u < U; ++u) {
      Access::prefetch(first + Isa::width_bytes * u);
      Access::prefetch(second + Isa::width_bytes * u);
      a[u] = Isa::split(access.load(first + Isa::width_bytes * u));
      b[u] = Isa::split(access.load(second + Isa::width_bytes * u));
    }
    PARAPET_UNROLL for (int p = 0; p < M; ++p) {
      const typename Isa::Factor f = Isa::factor(tables + p * Isa::table_size);
      const typename Isa::Factor g = Isa::factor(tables + column + p * Isa::table_size);
      PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] = Isa::fold2(at[p][u], a[u], f, b[u], g);
    }
  }

  /// Adds the products of the sources from j on.
  template <class Access>
  PARAPET_INLINE void fold_sources(const Pass& pass, std::size_t j, std::size_t offset, Access access) {
    for (; j + 1 < pass.source_count; j += 2) fold_pair(pass, j, offset, access);
    if (j == pass.source_count) return;
    const std::uint8_t* tables = pass.tables + j * M * Isa::table_size;
    const std::uint8_t* last = pass.sources[j] + offset;
    typename Isa::Split a[U];
    PARAPET_UNROLL for (int u = 0; u < U; ++u) {
      Access::prefetch(last + Isa::width_bytes * u);
      a[u] = Isa::split(access.load(last + Isa::width_bytes * u));
    }
    PARAPET_UNROLL for (int p = 0; p < M; ++p) {
      const typename Isa::Factor f = Isa::factor(tables + p * Isa::table_size);
      PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] = Isa::fold(at[p][u], a[u], f);
    }
  }

  /// Adds all sources' products and all terms. In full tiles terms go pair by pair with sources, so that their loads
  /// hide behind the products' arithmetic.
  template <class Access>
  PARAPET_INLINE void fold_sources_and_terms(const Pass& pass, std::size_t offset, Access access) {
    std::size_t j = 0;
    std::uint32_t t = 0;
    PARAPET_UNROLL for (int p = 0; p < M; ++p) {
      for (; t + 1 < pass.terms_end[p]; t += 2) {
        const std::uint8_t* first = pass.terms[pass.term_indices[t]] + offset;
        const std::uint8_t* second = pass.terms[pass.term_indices[t + 1]] + offset;
        if (U > 1 && j + 1 < pass.source_count) {
          fold_pair(pass, j, offset, access);
          j += 2;
        }
        PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] =
            Isa::add3(at[p][u], access.load(first + Isa::width_bytes * u), access.load(second + Isa::width_bytes * u));
      }
      if (t < pass.terms_end[p]) {
        const std::uint8_t* term = pass.terms[pass.term_indices[t++]] + offset;
        PARAPET_UNROLL for (int u = 0; u < U; ++u) at[p][u] =
            Isa::add(at[p][u], access.load(term + Isa::width_bytes * u));
      }
    }
    fold_sources(pass, j, offset, access);
  }
};

template <class Isa, int M, int U, class Access>
PARAPET_INLINE void product_tile(const Pass& pass, std::size_t offset, Access access) {
  Sums<Isa, M, U> sums;
  if (pass.accumulate)
    sums.load(pass.outputs, offset, access);
  else
    sums.clear();
  if (pass.terms_end == nullptr)
    sums.fold_sources(pass, 0, offset, access);
  else
    sums.fold_sources_and_terms(pass, offset, access);
  sums.store(pass.outputs, offset, access);
}

/// The bytes from `offset` on that fill no tile: whole registers, then part of one.
template <class Isa, int M>
PARAPET_INLINE void product_rest(const Pass& pass, std::size_t offset) {
  for (; offset + Isa::width_bytes <= pass.end; offset += Isa::width_bytes)
    product_tile<Isa, M, 1>(pass, offset, Whole<Isa>{});
  if (offset < pass.end) product_tile<Isa, M, 1>(pass, offset, Partial<Isa>{pass.end - offset});
}

/// `access` is that of whole tiles.
template <class Isa, int M, class Access>
PARAPET_INLINE void product_of(const Pass& pass, Access access) {
  constexpr std::size_t tile_bytes = Isa::tile_width(M) * Isa::width_bytes;
  std::size_t offset = pass.begin;
  for (; offset + tile_bytes <= pass.end; offset += tile_bytes)
    product_tile<Isa, M, Isa::tile_width(M)>(pass, offset, access);
  product_rest<Isa, M>(pass, offset);
}

template <class Isa, int M>
void product(const Pass& pass) {
  if (pass.source_count >= sources_to_prefetch_min)
    product_of<Isa, M>(pass, Prefetched<Isa>{});
  else
    product_of<Isa, M>(pass, Whole<Isa>{});
}

template <class Isa>
bool outputs_aligned(const Pass& pass) {
  std::uintptr_t bits = 0;
  for (std::size_t p = 0; p < pass.row_count; ++p)
    bits |= reinterpret_cast<std::uintptr_t>(pass.outputs[p]) + pass.begin;
  return bits % Isa::width_bytes == 0;
}

// Stores past the cache pay only when they fill a line at once, a part of one costs a transfer of its own, and beside
// not too many streams of loads: with 20 sources they were slower than stores through the cache, from L3 and from
// memory.
constexpr std::size_t sources_to_stream_max = 16;

template <class Isa, int M>
void product_streaming(const Pass& pass) {
  constexpr bool fills_lines = Isa::tile_width(M) * Isa::width_bytes >= 64;
  if (!fills_lines || pass.source_count > sources_to_stream_max || !outputs_aligned<Isa>(pass))
    return product<Isa, M>(pass);
  product_of<Isa, M>(pass, Streamed<Isa>{});
  Isa::stream_fence();
}

template <class Isa, int M, bool is_difference, class Access>
PARAPET_INLINE void add_tile(const Pass& pass, const typename Isa::Factor* factors, std::size_t offset, Access access) {
  typename Isa::Vector source = access.load(pass.sources[0] + offset);
  if constexpr (is_difference) source = Isa::add(source, access.load(pass.sources[1] + offset));
  const typename Isa::Split split = Isa::split(source);
  PARAPET_UNROLL for (int p = 0; p < M; ++p) {
    std::uint8_t* output = pass.outputs[p] + offset;
    access.store(output, Isa::fold(access.load(output), split, factors[p]));
  }
}

// One register per row at a time: wider tiles lose half their speed in cache, where the read-modify-write streams of
// page-aligned parities collide (loads wait for stores that match in the low 12 address bits).
template <class Isa, int M, bool is_difference>
void add_product_of(const Pass& pass) {
  typename Isa::Factor factors[M];
  PARAPET_UNROLL for (int p = 0; p < M; ++p) factors[p] = Isa::factor(pass.tables + p * Isa::table_size);
  std::size_t offset = pass.begin;
  for (; offset + Isa::width_bytes <= pass.end; offset += Isa::width_bytes)
    add_tile<Isa, M, is_difference>(pass, factors, offset, Whole<Isa>{});
  if (offset < pass.end) add_tile<Isa, M, is_difference>(pass, factors, offset, Partial<Isa>{pass.end - offset});
}

template <class Isa, int M>
void add_product(const Pass& pass) {
  if (pass.source_count == 2)
    add_product_of<Isa, M, true>(pass);
  else
    add_product_of<Isa, M, false>(pass);
}

/// Bytes from `offset` on of one row of sums: U registers of each region.
template <class Isa, int U, class Access>
PARAPET_INLINE void xor_tile(std::uint8_t* const* regions, const std::uint32_t* row, std::size_t offset,
                             Access access) {
  typename Isa::Vector sums[U];
  const std::uint32_t* term = row + 2;
  const std::uint32_t* const end = term + row[1];
  const std::uint8_t* from = regions[*term++] + offset;
  PARAPET_UNROLL for (int u = 0; u < U; ++u) sums[u] = access.load(from + Isa::width_bytes * u);
  for (; end - term >= 2; term += 2) {
    const std::uint8_t* first = regions[term[0]] + offset;
    const std::uint8_t* second = regions[term[1]] + offset;
    PARAPET_UNROLL for (int u = 0; u < U; ++u) sums[u] =
        Isa::add3(sums[u], access.load(first + Isa::width_bytes * u), access.load(second + Isa::width_bytes * u));
  }
  if (term != end) {
    from = regions[*term] + offset;
    PARAPET_UNROLL for (int u = 0; u < U; ++u) sums[u] = Isa::add(sums[u], access.load(from + Isa::width_bytes * u));
  }
  std::uint8_t* const to = regions[row[0]] + offset;
  PARAPET_UNROLL for (int u = 0; u < U; ++u) access.store(to + Isa::width_bytes * u, sums[u]);
}

template <class Isa>
void run_xor_rows(const XorPass& pass) {
  constexpr int tile = Isa::tile_width(1);
  for (const std::uint32_t* row = pass.rows; row != pass.rows_end; row += 2 + row[1]) {
    std::size_t offset = 0;
    for (; offset + tile * Isa::width_bytes <= pass.length; offset += tile * Isa::width_bytes)
      xor_tile<Isa, tile>(pass.regions, row, offset, Whole<Isa>{});
    for (; offset + Isa::width_bytes <= pass.length; offset += Isa::width_bytes)
      xor_tile<Isa, 1>(pass.regions, row, offset, Whole<Isa>{});
    if (offset < pass.length) xor_tile<Isa, 1>(pass.regions, row, offset, Partial<Isa>{pass.length - offset});
  }
}

/// One register of every region. While column c is added, diagonals[r] is the sum of diagonal (r + c) mod (R + 1): so
/// the cells of a column meet the same registers in every column, and the sums move on by one in between.
template <class Isa, int R>
struct DiagonalTile {
  typename Isa::Vector rows[R];
  typename Isa::Vector diagonals[R + 1];

  template <class Access>
  PARAPET_INLINE void add_columns(const DiagonalPass& pass, std::size_t offset, Access access) {
    PARAPET_UNROLL_ALL for (int r = 0; r < R; ++r) rows[r] = diagonals[r] = Isa::zero();
    diagonals[R] = Isa::zero();
    const std::uint8_t* const* cells = pass.cells;
    for (std::size_t c = 0; c < pass.column_count; ++c, cells += R) {
      PARAPET_UNROLL_ALL for (int r = 0; r < R; ++r) {
        const typename Isa::Vector cell = access.load(cells[r] + offset);
        rows[r] = Isa::add(rows[r], cell);
        diagonals[r] = Isa::add(diagonals[r], cell);
      }
      const typename Isa::Vector first = diagonals[0];
      PARAPET_UNROLL_ALL for (int r = 0; r < R; ++r) diagonals[r] = diagonals[r + 1];
      diagonals[R] = first;
    }
  }

  /// After the last column diagonals[i] is the sum of diagonal (i + column_count) mod (R + 1).
  template <class Access>
  PARAPET_INLINE void store(const DiagonalPass& pass, std::size_t offset, Access access) const {
    PARAPET_UNROLL_ALL for (int r = 0; r < R; ++r) access.store(pass.outputs[r] + offset, rows[r]);
    const std::size_t shift = pass.column_count % (R + 1);
    typename Isa::Vector addend = Isa::zero();
    if (pass.addend == DiagonalAddend::last_diagonal)
      PARAPET_UNROLL_ALL for (std::size_t i = 0; i <= R; ++i) addend =
          i + shift == R || (shift == 0 && i == R) ? diagonals[i] : addend;
    PARAPET_UNROLL_ALL for (std::size_t i = 0; i <= R; ++i) {
      const std::size_t d = i + shift <= R ? i + shift : i + shift - (R + 1);
      if (d == R) continue;
      if (pass.addend == DiagonalAddend::next_row_sum)
        addend = d + 1 < R ? access.load(pass.outputs[d + 1] + offset) : Isa::zero();
      access.store(pass.outputs[R + d] + offset, Isa::add(diagonals[i], addend));
    }
  }
};

template <class Isa, int R, class Access>
PARAPET_INLINE void diagonal_tile(const DiagonalPass& pass, std::size_t offset, Access access) {
  DiagonalTile<Isa, R> tile;
  tile.add_columns(pass, offset, access);
  tile.store(pass, offset, access);
}

template <class Isa, int R>
void diagonal_sums_of(const DiagonalPass& pass) {
  std::size_t offset = 0;
  for (; offset + Isa::width_bytes <= pass.length; offset += Isa::width_bytes)
    diagonal_tile<Isa, R>(pass, offset, Whole<Isa>{});
  if (offset < pass.length) diagonal_tile<Isa, R>(pass, offset, Partial<Isa>{pass.length - offset});
}

template <class Isa>
void run_diagonal_sums(const DiagonalPass& pass) {
  constexpr int rows_max = Isa::diagonal_rows_max;
  if (pass.row_count == 2) return diagonal_sums_of<Isa, 2>(pass);
  if (pass.row_count == 4) return diagonal_sums_of<Isa, 4>(pass);
  if constexpr (rows_max >= 6)
    if (pass.row_count == 6) return diagonal_sums_of<Isa, 6>(pass);
  if constexpr (rows_max >= 12) {
    if (pass.row_count == 10) return diagonal_sums_of<Isa, 10>(pass);
    if (pass.row_count == 12) return diagonal_sums_of<Isa, 12>(pass);
  }
}

using PassFunction = void (*)(const Pass&);

template <class Isa>
void run_product(const Pass& pass) {
  static constexpr PassFunction by_rows[rows_per_pass_max] = {product<Isa, 1>, product<Isa, 2>, product<Isa, 3>,
                                                              product<Isa, 4>, product<Isa, 5>, product<Isa, 6>};
  by_rows[pass.row_count - 1](pass);
}

template <class Isa>
void run_product_streaming(const Pass& pass) {
  static constexpr PassFunction by_rows[rows_per_pass_max] = {product_streaming<Isa, 1>, product_streaming<Isa, 2>,
                                                              product_streaming<Isa, 3>, product_streaming<Isa, 4>,
                                                              product_streaming<Isa, 5>, product_streaming<Isa, 6>};
  by_rows[pass.row_count - 1](pass);
}

template <class Isa>
void run_add_product(const Pass& pass) {
  static constexpr PassFunction by_rows[rows_per_pass_max] = {add_product<Isa, 1>, add_product<Isa, 2>,
                                                              add_product<Isa, 3>, add_product<Isa, 4>,
                                                              add_product<Isa, 5>, add_product<Isa, 6>};
  by_rows[pass.row_count - 1](pass);
}

/// The table entry of an instruction set.
template <class Isa>
constexpr Kernels make_kernels(const char* name, bool (*supported)()) {
  return {name,
          supported,
          Isa::table_size,
          Isa::prepare,
          run_product<Isa>,
          run_product_streaming<Isa>,
          run_add_product<Isa>,
          run_xor_rows<Isa>,
          Isa::diagonal_rows_max,
          run_diagonal_sums<Isa>};
}

}  // namespace
}  // namespace parapet::gf

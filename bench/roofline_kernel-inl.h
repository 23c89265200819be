// The XOR kernels over a `Vector` that the including file defines: load, load2, store, stream, and
// fold(a, b, c) = a XOR b XOR c.
// Each including file is compiled for its own instruction set, so everything here has internal linkage and nothing
// calls an inline function of others: the linker might keep this file's copy for code that runs on every machine.
#pragma once

#include "bench/roofline.h"

namespace parapet::bench {
namespace {

constexpr std::size_t line_size = 64;
constexpr std::size_t step_size = 256;
constexpr std::size_t column_size = 1024;
constexpr unsigned group_size = 4;
constexpr unsigned pointers_max = 256;

/// One pass over all sources, 256 bytes of each at a time.
template <std::size_t prefetch_distance, bool streaming>
void xor_pass(const std::uint8_t* const* sources, unsigned source_count, std::uint8_t* const* copies,
              unsigned copy_count, std::size_t size) {
  constexpr std::size_t lanes = step_size / sizeof(Vector);
  const auto prefetch = [](const std::uint8_t* from) {
    if constexpr (prefetch_distance > 0) {
#pragma GCC unroll 4
      for (std::size_t line = 0; line < step_size; line += line_size)
        __builtin_prefetch(from + prefetch_distance + line);
    }
  };
  for (std::size_t at = 0; at < size; at += step_size) {
    Vector sums[lanes];
    prefetch(sources[0] + at);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = load(sources[0] + at + i * sizeof(Vector));
    unsigned s = 1;
    for (; s + 1 < source_count; s += 2) {
      const std::uint8_t* first = sources[s] + at;
      const std::uint8_t* second = sources[s + 1] + at;
      prefetch(first);
      prefetch(second);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < lanes; ++i)
        sums[i] = fold(sums[i], load(first + i * sizeof(Vector)), load(second + i * sizeof(Vector)));
    }
    if (s < source_count) {
      const std::uint8_t* last = sources[s] + at;
      prefetch(last);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < lanes; ++i) sums[i] = sums[i] ^ load(last + i * sizeof(Vector));
    }
    for (unsigned c = 0; c < copy_count; ++c) {
#pragma GCC unroll 16
      for (std::size_t i = 0; i < lanes; ++i) {
        std::uint8_t* to = copies[c] + at + i * sizeof(Vector);
        if constexpr (streaming)
          stream(to, sums[i]);
        else
          store(to, sums[i]);
      }
    }
  }
}

/// Column by column of 1 KiB, four sources at a time, with the partial sum in a scratch that stays in the L1 cache:
/// few streams at once, whatever k is. The next column is prefetched.
void xor_columns(const std::uint8_t* const* sources, unsigned source_count, std::uint8_t* const* copies,
                 unsigned copy_count, std::size_t size) {
  alignas(line_size) std::uint8_t scratch[column_size];
  std::uint8_t* const scratch_copy[] = {scratch};
  const std::uint8_t* from[group_size + 1];
  std::uint8_t* to[pointers_max];
  for (std::size_t at = 0; at < size; at += column_size) {
    for (unsigned c = 0; c < copy_count; ++c) to[c] = copies[c] + at;
    for (unsigned s = 0; s < source_count; s += group_size) {
      const unsigned end = s + group_size < source_count ? s + group_size : source_count;
      unsigned count = 0;
      for (unsigned i = s; i < end; ++i) from[count++] = sources[i] + at;
      if (s > 0) from[count++] = scratch;
      if (end < source_count)
        xor_pass<column_size, false>(from, count, scratch_copy, 1, column_size);
      else
        xor_pass<column_size, true>(from, count, to, copy_count, column_size);
    }
  }
}

}  // namespace
}  // namespace parapet::bench

/// The kernels in the order of `xor_kernels`, for the including file to define its array with.
#define PARAPET_XOR_KERNELS \
  { xor_pass<0, false>, xor_pass<512, false>, xor_pass<0, true>, xor_pass<512, true>, xor_columns }

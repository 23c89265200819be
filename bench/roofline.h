// What the machine can do at all on the shape of an encode: XOR k sources to m copies, the least arithmetic for the
// same loads and stores. The fastest variant is the bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parapet::bench {

/// Writes the XOR of `source_count` sources to each of `copy_count` copies. All are aligned to 64 bytes; `size` is a
/// multiple of 1024.
using XorKernel = void (*)(const std::uint8_t* const* sources, unsigned source_count, std::uint8_t* const* copies,
                           unsigned copy_count, std::size_t size);

/// Variants for this machine's widest vectors: plain; with software prefetch 512 bytes ahead; both again with
/// non-temporal stores; and column by column in groups of four sources with non-temporal stores.
std::span<const XorKernel> xor_kernels();

/// The variants for each width of vectors that is compiled in; `xor_kernels` picks a set.
inline constexpr std::size_t xor_kernel_count = 5;
extern const XorKernel xor_kernels_portable[xor_kernel_count];
extern const XorKernel xor_kernels_avx2[xor_kernel_count];
extern const XorKernel xor_kernels_avx512[xor_kernel_count];

}  // namespace parapet::bench

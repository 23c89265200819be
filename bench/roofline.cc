#include "bench/roofline.h"

namespace parapet::bench {

std::span<const XorKernel> xor_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return xor_kernels_avx512;
  if (__builtin_cpu_supports("avx2")) return xor_kernels_avx2;
#endif
  return xor_kernels_portable;
}

}  // namespace parapet::bench

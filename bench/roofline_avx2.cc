// The XOR kernels with 32-byte vectors.
#include <immintrin.h>

#include <cstdint>

namespace parapet::bench {
namespace {

using Vector = std::uint64_t __attribute__((vector_size(32), may_alias));

inline Vector load(const std::uint8_t* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store(std::uint8_t* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }
inline void stream(std::uint8_t* to, Vector value) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value));
}
inline Vector fold(Vector a, Vector b, Vector c) { return a ^ b ^ c; }

}  // namespace
}  // namespace parapet::bench

#include "bench/roofline_kernel-inl.h"

namespace parapet::bench {
const XorKernel xor_kernels_avx2[] = PARAPET_XOR_KERNELS;
}  // namespace parapet::bench

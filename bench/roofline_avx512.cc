// The XOR kernels with 64-byte vectors and the three-input XOR.
#include <immintrin.h>

#include <cstdint>

namespace parapet::bench {
namespace {

using Vector = std::uint64_t __attribute__((vector_size(64), may_alias));

inline Vector load(const std::uint8_t* from) { return *reinterpret_cast<const Vector*>(from); }
inline void store(std::uint8_t* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }
inline void stream(std::uint8_t* to, Vector value) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value));
}
inline Vector fold(Vector a, Vector b, Vector c) {
  constexpr int exclusive_or = 0x96;
  return reinterpret_cast<Vector>(_mm512_ternarylogic_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b),
                                                            reinterpret_cast<__m512i>(c), exclusive_or));
}

}  // namespace
}  // namespace parapet::bench

#include "bench/roofline_kernel-inl.h"

namespace parapet::bench {
const XorKernel xor_kernels_avx512[] = PARAPET_XOR_KERNELS;
}  // namespace parapet::bench

// What the kernels with 64-byte registers share.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parapet::gf {
namespace {

struct Avx512Vectors {
  using Vector = __m512i;
  static constexpr std::size_t width_bytes = 64;

  static Vector load(const std::uint8_t* bytes) { return _mm512_loadu_si512(bytes); }
  static void store(std::uint8_t* bytes, Vector v) { _mm512_storeu_si512(bytes, v); }
  static void stream(std::uint8_t* bytes, Vector v) { _mm512_stream_si512(reinterpret_cast<Vector*>(bytes), v); }
  static void stream_fence() { _mm_sfence(); }
  static __mmask64 first(std::size_t count) { return ~__mmask64{0} >> (width_bytes - count); }
  static Vector load_partial(const std::uint8_t* bytes, std::size_t count) {
    return _mm512_maskz_loadu_epi8(first(count), bytes);
  }
  static void store_partial(std::uint8_t* bytes, Vector v, std::size_t count) {
    _mm512_mask_storeu_epi8(bytes, first(count), v);
  }

  static Vector zero() { return _mm512_setzero_si512(); }
  static Vector add(Vector a, Vector b) { return _mm512_xor_si512(a, b); }
  static Vector add3(Vector a, Vector b, Vector c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
};

}  // namespace
}  // namespace parapet::gf

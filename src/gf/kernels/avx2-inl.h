// What the kernels with 32-byte registers share.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parapet::gf {
namespace {

struct Avx2Vectors {
  using Vector = __m256i;
  static constexpr std::size_t width_bytes = 32;

  static Vector load(const std::uint8_t* bytes) { return _mm256_loadu_si256(reinterpret_cast<const Vector*>(bytes)); }
  static void store(std::uint8_t* bytes, Vector v) { _mm256_storeu_si256(reinterpret_cast<Vector*>(bytes), v); }
  static void stream(std::uint8_t* bytes, Vector v) { _mm256_stream_si256(reinterpret_cast<Vector*>(bytes), v); }
  static void stream_fence() { _mm_sfence(); }
  static Vector load_partial(const std::uint8_t* bytes, std::size_t count) {
    alignas(32) std::uint8_t whole[width_bytes] = {};
    std::memcpy(whole, bytes, count);
    return load(whole);
  }
  static void store_partial(std::uint8_t* bytes, Vector v, std::size_t count) {
    alignas(32) std::uint8_t whole[width_bytes];
    store(whole, v);
    std::memcpy(bytes, whole, count);
  }

  static Vector zero() { return _mm256_setzero_si256(); }
  static Vector add(Vector a, Vector b) { return _mm256_xor_si256(a, b); }
  static Vector add3(Vector a, Vector b, Vector c) { return add(a, add(b, c)); }
};

}  // namespace
}  // namespace parapet::gf

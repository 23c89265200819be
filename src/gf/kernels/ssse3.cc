// 16-byte registers; products by two table look-ups per byte (PSHUFB).
#include <immintrin.h>

#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"
#include "gf/kernels/x86.h"

namespace parapet::gf {
namespace {

struct Ssse3 {
  using Vector = __m128i;
  static constexpr std::size_t width_bytes = 16;
  static constexpr int diagonal_rows_max = 6;
  static constexpr int tile_width(int rows) { return rows <= 2 ? 2 : 1; }

  static Vector load(const std::uint8_t* bytes) { return _mm_loadu_si128(reinterpret_cast<const Vector*>(bytes)); }
  static void store(std::uint8_t* bytes, Vector v) { _mm_storeu_si128(reinterpret_cast<Vector*>(bytes), v); }
  static void stream(std::uint8_t* bytes, Vector v) { _mm_stream_si128(reinterpret_cast<Vector*>(bytes), v); }
  static void stream_fence() { _mm_sfence(); }
  static Vector load_partial(const std::uint8_t* bytes, std::size_t count) {
    alignas(16) std::uint8_t whole[width_bytes] = {};
    std::memcpy(whole, bytes, count);
    return load(whole);
  }
  static void store_partial(std::uint8_t* bytes, Vector v, std::size_t count) {
    alignas(16) std::uint8_t whole[width_bytes];
    store(whole, v);
    std::memcpy(bytes, whole, count);
  }

  static Vector zero() { return _mm_setzero_si128(); }
  static Vector add(Vector a, Vector b) { return _mm_xor_si128(a, b); }
  static Vector add3(Vector a, Vector b, Vector c) { return add(a, add(b, c)); }

  struct Split {
    Vector low, high;
  };
  static Split split(Vector v) {
    const Vector mask = _mm_set1_epi8(15);
    return {_mm_and_si128(v, mask), _mm_and_si128(_mm_srli_epi64(v, 4), mask)};
  }
  struct Factor {
    Vector low, high;
  };
  static Factor factor(const std::uint8_t* table) { return {load(table), load(table + 16)}; }
  static Vector fold(Vector sum, Split s, Factor f) {
    return add(sum, add(_mm_shuffle_epi8(f.low, s.low), _mm_shuffle_epi8(f.high, s.high)));
  }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) { return fold(fold(sum, s0, f0), s1, f1); }

  static constexpr std::size_t table_size = NibbleTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { NibbleTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels ssse3_kernels = make_kernels<Ssse3>("ssse3", x86::has_ssse3);

}  // namespace parapet::gf

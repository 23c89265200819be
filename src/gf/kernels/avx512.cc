// 64-byte registers; products by two table look-ups per byte (VPSHUFB), three-input XOR.
#include "gf/kernels/avx512-inl.h"
#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"
#include "gf/kernels/x86.h"

namespace parapet::gf {
namespace {

struct Avx512 : Avx512Vectors {
  static constexpr int diagonal_rows_max = 12;
  static constexpr int tile_width(int rows) { return rows <= 4 ? 4 : 2; }

  struct Split {
    Vector low, high;
  };
  static Split split(Vector v) {
    const Vector mask = _mm512_set1_epi8(15);
    return {_mm512_and_si512(v, mask), _mm512_and_si512(_mm512_srli_epi64(v, 4), mask)};
  }
  struct Factor {
    Vector low, high;
  };
  static Vector all_lanes(const std::uint8_t* bytes) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }
  static Factor factor(const std::uint8_t* table) { return {all_lanes(table), all_lanes(table + 16)}; }
  static Vector fold(Vector sum, Split s, Factor f) {
    return add3(sum, _mm512_shuffle_epi8(f.low, s.low), _mm512_shuffle_epi8(f.high, s.high));
  }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) { return fold(fold(sum, s0, f0), s1, f1); }

  static constexpr std::size_t table_size = NibbleTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { NibbleTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels avx512_kernels = make_kernels<Avx512>("avx512", x86::has_avx512);

}  // namespace parapet::gf

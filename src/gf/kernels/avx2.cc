// 32-byte registers; products by two table look-ups per byte (VPSHUFB).
#include "gf/kernels/avx2-inl.h"
#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"
#include "gf/kernels/x86.h"

namespace parapet::gf {
namespace {

struct Avx2 : Avx2Vectors {
  static constexpr int diagonal_rows_max = 6;
  static constexpr int tile_width(int rows) { return rows <= 4 ? 2 : 1; }

  struct Split {
    Vector low, high;
  };
  static Split split(Vector v) {
    const Vector mask = _mm256_set1_epi8(15);
    return {_mm256_and_si256(v, mask), _mm256_and_si256(_mm256_srli_epi64(v, 4), mask)};
  }
  struct Factor {
    Vector low, high;
  };
  static Vector both_lanes(const std::uint8_t* bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }
  static Factor factor(const std::uint8_t* table) { return {both_lanes(table), both_lanes(table + 16)}; }
  static Vector fold(Vector sum, Split s, Factor f) {
    return add(sum, add(_mm256_shuffle_epi8(f.low, s.low), _mm256_shuffle_epi8(f.high, s.high)));
  }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) { return fold(fold(sum, s0, f0), s1, f1); }

  static constexpr std::size_t table_size = NibbleTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { NibbleTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels avx2_kernels = make_kernels<Avx2>("avx2", x86::has_avx2);

}  // namespace parapet::gf

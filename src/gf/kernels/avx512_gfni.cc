// 64-byte registers; a product is one instruction (VGF2P8AFFINEQB), and a three-input XOR takes in two of them.
#include "gf/kernels/avx512-inl.h"
#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"
#include "gf/kernels/x86.h"

namespace parapet::gf {
namespace {

struct Avx512Gfni : Avx512Vectors {
  // At 4 rows: 16 sums, 8 sources and 2 factors of the 32 registers.
  // Of 32 registers, at 1 row 8 sums, 16 sources and 2 factors; at 4 rows 16 sums, 8 sources and 2 factors.
  static constexpr int diagonal_rows_max = 12;
  static constexpr int tile_width(int rows) { return rows == 1 ? 8 : rows <= 4 ? 4 : 2; }

  using Split = Vector;
  static Split split(Vector v) { return v; }
  using Factor = Vector;
  static Factor factor(const std::uint8_t* table) {
    long long matrix;
    std::memcpy(&matrix, table, sizeof matrix);
    Vector all = _mm512_set1_epi64(matrix);
#if defined(__clang__)
    // Clang 14 encodes the displacement of a broadcast memory operand of VGF2P8AFFINEQB eight times too large, so the
    // matrix must not become one: it goes through a register.
    asm("" : "+v"(all));
#endif
    return all;
  }
  static Vector fold(Vector sum, Split s, Factor f) { return add(sum, _mm512_gf2p8affine_epi64_epi8(s, f, 0)); }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) {
    return add3(sum, _mm512_gf2p8affine_epi64_epi8(s0, f0, 0), _mm512_gf2p8affine_epi64_epi8(s1, f1, 0));
  }

  static constexpr std::size_t table_size = AffineTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { AffineTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels avx512_gfni_kernels = make_kernels<Avx512Gfni>("avx512-gfni", x86::has_avx512_gfni);

}  // namespace parapet::gf

// 32-byte registers; a product is one instruction (VGF2P8AFFINEQB).
#include "gf/kernels/avx2-inl.h"
#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"
#include "gf/kernels/x86.h"

namespace parapet::gf {
namespace {

struct Avx2Gfni : Avx2Vectors {
  static constexpr int diagonal_rows_max = 6;
  static constexpr int tile_width(int rows) { return rows <= 2 ? 4 : rows <= 5 ? 2 : 1; }

  using Split = Vector;
  static Split split(Vector v) { return v; }
  using Factor = Vector;
  static Factor factor(const std::uint8_t* table) {
    long long matrix;
    std::memcpy(&matrix, table, sizeof matrix);
    return _mm256_set1_epi64x(matrix);
  }
  static Vector fold(Vector sum, Split s, Factor f) { return add(sum, _mm256_gf2p8affine_epi64_epi8(s, f, 0)); }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) {
    return add(sum, add(_mm256_gf2p8affine_epi64_epi8(s0, f0, 0), _mm256_gf2p8affine_epi64_epi8(s1, f1, 0)));
  }

  static constexpr std::size_t table_size = AffineTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { AffineTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels avx2_gfni_kernels = make_kernels<Avx2Gfni>("avx2-gfni", x86::has_avx2_gfni);

}  // namespace parapet::gf

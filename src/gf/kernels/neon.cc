// 16-byte registers of aarch64; products by two table look-ups per byte (TBL).
#include <arm_neon.h>

#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"

namespace parapet::gf {
namespace {

struct Neon {
  using Vector = uint8x16_t;
  static constexpr std::size_t width_bytes = 16;
  // 32 registers: at 4 rows 16 sums, 8 source halves, 4 table halves, and the mask.
  static constexpr int diagonal_rows_max = 12;
  static constexpr int tile_width(int rows) { return rows <= 4 ? 4 : 2; }

  static Vector load(const std::uint8_t* bytes) { return vld1q_u8(bytes); }
  static void store(std::uint8_t* bytes, Vector v) { vst1q_u8(bytes, v); }
  static void stream(std::uint8_t* bytes, Vector v) { store(bytes, v); }
  static void stream_fence() {}
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

  static Vector zero() { return vdupq_n_u8(0); }
  static Vector add(Vector a, Vector b) { return veorq_u8(a, b); }
  static Vector add3(Vector a, Vector b, Vector c) { return add(a, add(b, c)); }

  struct Split {
    Vector low, high;
  };
  static Split split(Vector v) { return {vandq_u8(v, vdupq_n_u8(15)), vshrq_n_u8(v, 4)}; }
  struct Factor {
    Vector low, high;
  };
  static Factor factor(const std::uint8_t* table) { return {load(table), load(table + 16)}; }
  static Vector fold(Vector sum, Split s, Factor f) {
    return add(sum, add(vqtbl1q_u8(f.low, s.low), vqtbl1q_u8(f.high, s.high)));
  }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) { return fold(fold(sum, s0, f0), s1, f1); }

  static constexpr std::size_t table_size = NibbleTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { NibbleTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels neon_kernels = make_kernels<Neon>("neon", [] { return true; });

}  // namespace parapet::gf

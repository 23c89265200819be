// Plain C++: the reference for all other kernels, and what runs where there is nothing better.
#include "gf/kernels/region-inl.h"
#include "gf/kernels/tables.h"

namespace parapet::gf {
namespace {

struct Scalar {
  using Vector = std::uint64_t;
  static constexpr std::size_t width_bytes = 8;
  static constexpr int diagonal_rows_max = 4;
  static constexpr int tile_width(int) { return 1; }

  static Vector load(const std::uint8_t* bytes) { return load_partial(bytes, width_bytes); }
  static void store(std::uint8_t* bytes, Vector v) { store_partial(bytes, v, width_bytes); }
  static void stream(std::uint8_t* bytes, Vector v) { store(bytes, v); }
  static void stream_fence() {}
  static Vector load_partial(const std::uint8_t* bytes, std::size_t count) {
    Vector v = 0;
    std::memcpy(&v, bytes, count);
    return v;
  }
  static void store_partial(std::uint8_t* bytes, Vector v, std::size_t count) { std::memcpy(bytes, &v, count); }

  static Vector zero() { return 0; }
  static Vector add(Vector a, Vector b) { return a ^ b; }
  static Vector add3(Vector a, Vector b, Vector c) { return a ^ b ^ c; }

  using Split = Vector;
  static Split split(Vector v) { return v; }
  using Factor = const std::uint8_t*;
  static Factor factor(const std::uint8_t* table) { return table; }
  static Vector fold(Vector sum, Split s, Factor f) {
    std::uint8_t bytes[width_bytes];
    std::memcpy(bytes, &s, width_bytes);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(f[byte & 15] ^ f[16 + (byte >> 4)]);
    Vector product;
    std::memcpy(&product, bytes, width_bytes);
    return sum ^ product;
  }
  static Vector fold2(Vector sum, Split s0, Factor f0, Split s1, Factor f1) { return fold(fold(sum, s0, f0), s1, f1); }

  static constexpr std::size_t table_size = NibbleTable::size;
  static void prepare(std::uint8_t coefficient, std::uint8_t* table) { NibbleTable::prepare(coefficient, table); }
};

}  // namespace

const Kernels scalar_kernels = make_kernels<Scalar>("scalar", [] { return true; });

}  // namespace parapet::gf

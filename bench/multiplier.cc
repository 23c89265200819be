#include "bench/multiplier.h"

#include "bench/measure.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace parapet::bench {

#if defined(__x86_64__)
namespace {

constexpr unsigned chain_count = 16;  // independent products, more than fit into the unit's latency
constexpr unsigned round_count = 1000;

__attribute__((target("avx512f,avx512bw,gfni"))) void multiply_rounds(std::size_t) {
  __m512i values[chain_count];
  const __m512i matrix = _mm512_set1_epi64(0x0040201008040201);
#pragma GCC unroll 16
  for (unsigned c = 0; c < chain_count; ++c) values[c] = _mm512_set1_epi32(static_cast<int>(c));
  for (unsigned round = 0; round < round_count; ++round) {
#pragma GCC unroll 16
    for (unsigned c = 0; c < chain_count; ++c) values[c] = _mm512_gf2p8affine_epi64_epi8(values[c], matrix, 0);
      // Keeps the compiler from seeing through the rounds.
#pragma GCC unroll 16
    for (unsigned c = 0; c < chain_count; ++c) asm volatile("" : "+v"(values[c]));
  }
}

}  // namespace

std::optional<double> multiplier_bytes_per_second() {
  if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("gfni")) return std::nullopt;
  const Work work = multiply_rounds;
  const double seconds = median(measure({&work, 1}, Sampling{}).front());
  return double{sizeof(__m512i)} * chain_count * round_count / seconds;
}
#else
std::optional<double> multiplier_bytes_per_second() { return std::nullopt; }
#endif

}  // namespace parapet::bench

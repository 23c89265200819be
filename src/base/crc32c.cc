// Bits are reflected: bit 0 of a byte is the coefficient of the highest power. `state` is the complement of the CRC.
//
// The AVX-512 version folds the message with carry-less multiplication (Gopal et al., "Fast CRC Computation for Generic
// Polynomials Using PCLMULQDQ Instruction", Intel 2009) down to 16 bytes, which the CRC instruction finishes.
#include "base/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace parapet::base {
namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;

constexpr std::uint32_t times_x(std::uint32_t value) { return (value >> 1) ^ ((value & 1) != 0 ? polynomial : 0); }

std::uint64_t load64(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Portable: slicing by 8 (Kounavis, Berry 2005). tables[i][b] is the CRC of byte b followed by i zero bytes.
using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = times_x(value);
    tables[0][byte] = value;
  }
  for (std::size_t i = 1; i < 8; ++i)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[i][byte] = (tables[i - 1][byte] >> 8) ^ tables[0][tables[i - 1][byte] & 0xff];
  return tables;
}

constexpr Tables tables = make_tables();

std::uint32_t crc32c_portable(std::uint32_t seed, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::uint32_t state = ~seed;
  for (; size >= 8; size -= 8, bytes += 8) {
    std::uint64_t word = 0;
    for (int i = 7; i >= 0; --i) word = word << 8 | bytes[i];
    word ^= state;
    state = 0;
    for (std::size_t i = 0; i < 8; ++i) state ^= tables[7 - i][word >> (8 * i) & 0xff];
  }
  for (; size > 0; --size, ++bytes) state = (state >> 8) ^ tables[0][(state ^ *bytes) & 0xff];
  return ~state;
}

#if defined(__x86_64__)

// GCC 12 takes the undefined operands inside its own AVX-512 headers for a mistake of ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define TARGET_SSE __attribute__((target("sse4.2,pclmul")))
#define TARGET_AVX512 __attribute__((target("sse4.2,pclmul,avx512f,avx512vl,avx512dq,vpclmulqdq")))

/// x to the power, reflected. As a 64-bit factor of a carry-less product it counts x^33 times that.
constexpr std::int64_t power_of_x(unsigned exponent) {
  std::uint32_t value = 0x80000000;
  for (; exponent > 0; --exponent) value = times_x(value);
  return value;
}
/// The factors that move the first and the second half of a 16-byte lane `bits` further on.
template <unsigned bits>
TARGET_SSE inline __m128i factors() {
  constexpr std::int64_t first = power_of_x(bits + 64 - 33);
  constexpr std::int64_t second = power_of_x(bits - 33);
  return _mm_set_epi64x(second, first);
}

TARGET_SSE inline std::uint32_t finish(std::uint64_t state, const std::uint8_t* bytes, std::size_t size) {
  for (; size >= 8; size -= 8, bytes += 8) state = _mm_crc32_u64(state, load64(bytes));
  auto narrow = static_cast<std::uint32_t>(state);
  for (; size > 0; --size, ++bytes) narrow = _mm_crc32_u8(narrow, *bytes);
  return narrow;
}

/// The state after some zero bytes more. The product and the CRC instruction add 33 bits to what `factor` says.
TARGET_SSE inline std::uint64_t times(std::uint64_t state, std::int64_t factor) {
  const __m128i product =
      _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<std::int64_t>(state)), _mm_cvtsi64_si128(factor), 0x00);
  return _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(product)));
}

TARGET_SSE inline __m128i fold(__m128i lane, __m128i by, __m128i next) {
  const __m128i first = _mm_clmulepi64_si128(lane, by, 0x00);
  return _mm_xor_si128(_mm_xor_si128(first, _mm_clmulepi64_si128(lane, by, 0x11)), next);
}

TARGET_SSE inline std::uint32_t finish_lane(__m128i lane, const std::uint8_t* bytes, std::size_t size) {
  const std::uint64_t state = _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(lane)));
  return finish(_mm_crc32_u64(state, static_cast<std::uint64_t>(_mm_extract_epi64(lane, 1))), bytes, size);
}

/// Three independent chains of CRC instructions hide their latency; two products join them.
TARGET_SSE std::uint32_t crc32c_sse(std::uint32_t seed, const void* data, std::size_t size) {
  constexpr std::size_t stream = 1344;  // Three of them nearly fill a block of 4096 bytes.
  constexpr std::int64_t past_one = power_of_x(8 * stream - 33);
  constexpr std::int64_t past_two = power_of_x(16 * stream - 33);
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::uint64_t state = static_cast<std::uint32_t>(~seed);
  for (; size >= 3 * stream; size -= 3 * stream, bytes += 3 * stream) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < stream; i += 8) {
      state = _mm_crc32_u64(state, load64(bytes + i));
      second = _mm_crc32_u64(second, load64(bytes + stream + i));
      third = _mm_crc32_u64(third, load64(bytes + 2 * stream + i));
    }
    state = third ^ times(state, past_two) ^ times(second, past_one);
  }
  return ~finish(state, bytes, size);
}

TARGET_AVX512 inline __m512i fold(__m512i lanes, __m512i by, __m512i next) {
  const __m512i first = _mm512_clmulepi64_epi128(lanes, by, 0x00);
  return _mm512_ternarylogic_epi64(first, _mm512_clmulepi64_epi128(lanes, by, 0x11), next, 0x96);
}

/// Folds four vectors of four lanes at a time.
TARGET_AVX512 std::uint32_t crc32c_vpclmul(std::uint32_t seed, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  if (size < 256) return crc32c_sse(seed, data, size);
  __m512i vectors[4];
  for (int i = 0; i < 4; ++i) vectors[i] = _mm512_loadu_si512(bytes + 64 * i);
  vectors[0] = _mm512_xor_si512(vectors[0], _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(~seed))));
  const __m512i far = _mm512_broadcast_i64x2(factors<2048>());
  for (bytes += 256, size -= 256; size >= 256; size -= 256, bytes += 256)
    for (int i = 0; i < 4; ++i) vectors[i] = fold(vectors[i], far, _mm512_loadu_si512(bytes + 64 * i));
  const __m512i middle = _mm512_broadcast_i64x2(factors<512>());
  for (int i = 1; i < 4; ++i) vectors[i] = fold(vectors[i - 1], middle, vectors[i]);
  const __m128i near = factors<128>();
  __m128i lane = _mm512_castsi512_si128(vectors[3]);
  lane = fold(lane, near, _mm512_extracti64x2_epi64(vectors[3], 1));
  lane = fold(lane, near, _mm512_extracti64x2_epi64(vectors[3], 2));
  lane = fold(lane, near, _mm512_extracti64x2_epi64(vectors[3], 3));
  return ~finish_lane(lane, bytes, size);
}

#elif defined(__aarch64__) && defined(__linux__)

__attribute__((target("+crc"))) std::uint32_t crc32c_armv8(std::uint32_t seed, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::uint32_t state = ~seed;
  for (; size >= 8; size -= 8, bytes += 8) state = __crc32cd(state, load64(bytes));
  for (; size > 0; --size, ++bytes) state = __crc32cb(state, *bytes);
  return ~state;
}

#endif

#if defined(__x86_64__)
bool has_sse() { return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul"); }
bool has_vpclmul() {
  return has_sse() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("vpclmulqdq");
}
const Crc32cImplementation implementations[] = {
    {"avx512-vpclmulqdq", has_vpclmul(), crc32c_vpclmul},
    {"sse4.2", has_sse(), crc32c_sse},
    {"portable", true, crc32c_portable},
};
#elif defined(__aarch64__) && defined(__linux__)
const Crc32cImplementation implementations[] = {
    {"armv8-crc", (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0, crc32c_armv8},
    {"portable", true, crc32c_portable},
};
#else
const Crc32cImplementation implementations[] = {{"portable", true, crc32c_portable}};
#endif

auto best_implementation() {
  const Crc32cImplementation* best = implementations;
  while (!best->supported) ++best;
  return best->function;
}

}  // namespace

std::uint32_t crc32c(std::uint32_t seed, const void* bytes, std::size_t size) {
  static const auto function = best_implementation();
  return function(seed, bytes, size);
}

std::span<const Crc32cImplementation> crc32c_implementations() { return implementations; }

}  // namespace parapet::base

// A small, fast, seedable generator: the same numbers on every machine. Not for secrets.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace parapet::base {

/// xoshiro256** (Blackman, Vigna 2018), seeded through splitmix64. Meets UniformRandomBitGenerator.
class Prng {
 public:
  using result_type = std::uint64_t;

  explicit Prng(std::uint64_t seed) {
    for (std::uint64_t& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  std::uint64_t operator()() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound); `bound` > 0. The bias is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>((*this)()) * bound) >> 64);
  }

  void fill(void* bytes, std::size_t count) {
    auto* out = static_cast<std::uint8_t*>(bytes);
    for (; count >= 8; count -= 8, out += 8) put(out, 8);
    if (count > 0) put(out, count);
  }

  static constexpr std::uint64_t min() { return 0; }
  static constexpr std::uint64_t max() { return ~std::uint64_t{0}; }

 private:
  void put(std::uint8_t* out, std::size_t count) {
    const std::uint64_t word = (*this)();
    std::memcpy(out, &word, count);
  }
  std::uint64_t state_[4];
};

}  // namespace parapet::base

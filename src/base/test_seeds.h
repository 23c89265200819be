// For tests: which seeds random tests run with.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace parapet::base {

/// How many seeds a random test takes: `usual` times the environment variable PARAPET_TEST_SEEDS, if it is set.
/// Seeds count from 0, so that the usual ones are always the same and a failing one can be named.
inline std::uint64_t seed_count(std::uint64_t usual) {
  const char* const text = std::getenv("PARAPET_TEST_SEEDS");
  const std::uint64_t factor = text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  return usual * (factor == 0 ? 1 : factor);
}

}  // namespace parapet::base

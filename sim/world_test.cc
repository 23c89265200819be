#include "sim/world.h"

#include <gtest/gtest.h>

#include "base/sanitizers.h"
#include "base/test_seeds.h"

namespace parapet::sim {
namespace {

constexpr std::uint64_t worlds_per_test = base::has_address_sanitizer ? 12 : 125;

/// Sixteen tests share the worlds, so that they run side by side.
class Worlds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Worlds, KeepWhatTheyPromise) {
  const std::uint64_t count = base::seed_count(worlds_per_test);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = 1 + GetParam() + 16 * i;
    const WorldResult result = run_world(seed);
    EXPECT_FALSE(result.failure.has_value()) << "seed " << seed << ": " << *result.failure;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Worlds, ::testing::Range(std::uint64_t{0}, std::uint64_t{16}));

TEST(World, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed : {3, 14, 159}) EXPECT_EQ(run_world(seed).trace_hash, run_world(seed).trace_hash) << seed;
  EXPECT_NE(run_world(3).trace_hash, run_world(4).trace_hash);
}

}  // namespace
}  // namespace parapet::sim

#include "pool/range_locks.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/prng.h"
#include "simenv/sim_world.h"

namespace parapet::pool {
namespace {

using Ranges = std::vector<BlockRange>;

/// Whether a second thread gets `wanted` of `segment` while `held` of segment 1 is held.
bool both_held(const Ranges& held, const Ranges& wanted, std::uint64_t segment = 1) {
  simenv::SimWorld world(1);
  bool while_held = false, got = false;
  world.run([&] {
    RangeLocks locks(world);
    std::unique_ptr<env::Thread> other;
    {
      const RangeLocks::Held mine(locks, {1}, held);
      other = world.start_thread("other", [&] {
        const RangeLocks::Held theirs(locks, {segment}, wanted);
        got = true;
      });
      world.sleep_until(world.now() + std::chrono::seconds(1));
      while_held = got;
    }
    other.reset();
  });
  EXPECT_TRUE(got) << "in the end it gets them";
  return while_held;
}

TEST(RangeLocks, OverlappingRangesComeOneAfterAnother) {
  EXPECT_FALSE(both_held({{0, 2, 5}}, {{0, 4, 6}}));
  EXPECT_FALSE(both_held({{0, 2, 5}}, {{0, 0, 3}}));
  EXPECT_FALSE(both_held({{0, 2, 5}}, {{0, 3, 4}}));
  EXPECT_FALSE(both_held({{0, 3, 4}}, {{0, 2, 5}}));
  EXPECT_FALSE(both_held({{0, 2, 5}}, {{0, 2, 5}}));
  EXPECT_FALSE(both_held({{1, 0, 1}, {3, 7, 8}}, {{2, 0, 9}, {3, 7, 8}})) << "any pair of them";
}

TEST(RangeLocks, OthersAreHeldAtTheSameTime) {
  EXPECT_TRUE(both_held({{0, 2, 5}}, {{0, 5, 6}})) << "the end is not in it";
  EXPECT_TRUE(both_held({{0, 2, 5}}, {{0, 1, 2}}));
  EXPECT_TRUE(both_held({{0, 2, 5}}, {{1, 2, 5}})) << "another chunk";
  EXPECT_TRUE(both_held({{0, 2, 5}}, {{0, 2, 5}}, 2)) << "another segment";
  EXPECT_TRUE(both_held({}, {{0, 0, 100}}));
}

TEST(RangeLocks, OneHolderMayHaveOverlappingRanges) {
  simenv::SimWorld world(1);
  world.run([&] {
    RangeLocks locks(world);
    for (int i = 0; i < 2; ++i) const RangeLocks::Held held(locks, {1}, {{0, 0, 5}, {0, 3, 8}});
  });
}

// Many threads on few blocks: nobody is in a block with another, and all come to an end.
TEST(RangeLocks, NobodySharesABlock) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    simenv::SimWorld world(seed);
    world.run([&] {
      RangeLocks locks(world);
      int inside[2][3][8] = {};
      int finished = 0;
      std::vector<std::unique_ptr<env::Thread>> threads;
      for (std::uint64_t t = 0; t < 6; ++t)
        threads.push_back(world.start_thread("locker", [&, t] {
          base::Prng prng(seed * 100 + t);
          for (int i = 0; i < 30; ++i) {
            const std::uint64_t segment = prng.below(2);
            Ranges ranges;
            for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
              const auto begin = static_cast<std::uint32_t>(prng.below(8));
              if (prng.below(2) == 0)
                ranges.push_back({chunk, begin, static_cast<std::uint32_t>(begin + 1 + prng.below(8 - begin))});
            }
            const RangeLocks::Held held(locks, {segment}, ranges);
            const auto step = [&](int by) {
              for (const auto& [chunk, begin, end] : ranges)
                for (std::uint32_t block = begin; block < end; ++block) {
                  inside[segment][chunk][block] += by;
                  EXPECT_EQ(inside[segment][chunk][block], by > 0 ? 1 : 0);
                }
            };
            step(1);
            world.sleep_until(world.now() + std::chrono::microseconds(prng.below(100)));
            step(-1);
          }
          ++finished;
        }));
      threads.clear();
      EXPECT_EQ(finished, 6);
    });
  }
}

}  // namespace
}  // namespace parapet::pool

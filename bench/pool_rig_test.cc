// The parts of the pool benchmark on small pools in memory, or where there is none, in the current directory.
#include "bench/pool_rig.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/pool_series.h"
#include "os/scratch_directory.h"

namespace parapet::bench {
namespace {

constexpr std::uint64_t mib = 1 << 20;

std::string scratch_parent() { return os::is_tmpfs(os::memory_directory) ? os::memory_directory : "."; }

RigOptions small_options(LogState state) {
  return {.bed = {.device_count = 3,
                  .device_size = 48 * mib,
                  .create = {.code = "rs(2,1)", .log_size = state == LogState::fresh ? 16 * mib : 2 * mib}},
          .state = state,
          .seconds = 0.02,
          .segment_count = 1,
          .append_segment_count = 2};
}

class PoolRigTest : public ::testing::Test {
 protected:
  std::unique_ptr<Rig> make(LogState state) {
    auto rig = Rig::make(world_, scratch_.path(), noise_, small_options(state));
    if (!rig) ADD_FAILURE() << rig.error();
    return rig ? std::move(*rig) : nullptr;
  }

  os::RealWorld world_;
  os::ScratchDirectory scratch_{scratch_parent()};
  Noise noise_{mib};
};

TEST_F(PoolRigTest, EveryCaseRunsAndIsRight) {
  for (const LogState state : {LogState::fresh, LogState::steady}) {
    const auto rig = make(state);
    ASSERT_NE(rig, nullptr);
    for (const Group& group : pool_groups(Code::parse("rs(2,1)").value(), 3)) {
      const auto run = rig->run(group.pool_case);
      ASSERT_TRUE(run.has_value()) << group.pool_case.key << ": " << run.error();
      EXPECT_GT(run->timing.operations, 0u) << group.pool_case.key;
      EXPECT_EQ(run->device_bytes.size(), 3u);
    }
    const auto reopened = rig->check_after_reopening();
    EXPECT_TRUE(reopened.has_value()) << reopened.error();
  }
}

TEST_F(PoolRigTest, TheLogGoesRoundInTheSteadyState) {
  const auto rig = make(LogState::steady);
  ASSERT_NE(rig, nullptr);
  const PoolCase overwrite{.key = "k", .title = "t", .item_size = 4096, .thread_count = 1, .flush_each = false};
  RigOptions options = rig->options();
  const auto run = rig->run(overwrite);
  ASSERT_TRUE(run.has_value()) << run.error();
  // Twice, unless ten times the wanted time was over before.
  EXPECT_TRUE(run->log_turns >= 2 || run->timing.seconds >= 10 * options.seconds) << run->log_turns;
}

TEST_F(PoolRigTest, ADurableUpdateIsWrittenToAllItsHolders) {
  const auto rig = make(LogState::fresh);
  ASSERT_NE(rig, nullptr);
  const PoolCase overwrite{.key = "k", .title = "t", .item_size = 4096, .thread_count = 1, .flush_each = true};
  const auto run = rig->run(overwrite);
  ASSERT_TRUE(run.has_value()) << run.error();
  const auto written = std::accumulate(run->device_bytes.begin(), run->device_bytes.end(), std::uint64_t{0});
  EXPECT_GE(written, run->timing.operations * 2 * 4096);
}

TEST_F(PoolRigTest, AWrongByteIsFound) {
  auto bed = PoolBed::make(world_, scratch_.path(), small_options(LogState::fresh).bed);
  ASSERT_TRUE(bed.has_value()) << bed.error();
  Area area(**bed, noise_, 4096);
  ASSERT_TRUE(area.grow().has_value());
  ASSERT_TRUE(area.write_all().has_value());
  EXPECT_TRUE(area.check_items(1000).has_value());
  const auto segment = (*bed)->pool().segments().front();
  const std::vector<std::uint8_t> other(4096 * area.item_count(), 1);
  ASSERT_TRUE((*bed)->pool().write(segment, 0, std::span(other).first(mib)).has_value());
  EXPECT_FALSE(area.check_items(1000).has_value());
  EXPECT_TRUE(area.verify_segments(1).has_value());
}

TEST(NoiseTest, VersionsAndItemsDiffer) {
  const Noise noise(4096);
  const auto first = noise.item(1, 1, 4096);
  EXPECT_TRUE(std::ranges::equal(first, noise.item(1, 1, 4096)));
  EXPECT_FALSE(std::ranges::equal(first, noise.item(1, 2, 4096)));
  EXPECT_FALSE(std::ranges::equal(first, noise.item(2, 1, 4096)));
}

Timing timing_of(std::uint64_t operations, double seconds) {
  Timing timing;
  timing.operations = operations;
  timing.seconds = seconds;
  return timing;
}

TEST(PoolSeriesTest, RatiosAreMediansOfRoundsAgainstTheFasterReference) {
  const ReferenceSeries reference{.threads = {timing_of(100, 1), timing_of(100, 1), timing_of(10, 1)},
                                  .ring = {timing_of(50, 1), timing_of(200, 1), timing_of(10, 1)}};
  CaseSeries series;
  for (const std::uint64_t operations : {50u, 60u, 10u}) series.runs.push_back({timing_of(operations, 1), {}, 0});
  EXPECT_DOUBLE_EQ(ratio_of(series, reference), 0.5);  // Of 0.5, 0.3 and 1.
}

TEST(PoolReferenceTest, LoadsRunByThreadsAndOnARing) {
  os::RealWorld world;
  const os::ScratchDirectory scratch;
  const auto files = ReferenceFiles::make(world, scratch.path(), 3, 4 * mib);
  ASSERT_TRUE(files.has_value()) << files.error();
  for (const Load::Kind kind : {Load::Kind::read, Load::Kind::write, Load::Kind::write_durable}) {
    const Load load{.kind = kind, .width = 2, .depth = 2};
    const auto threads = (*files)->run_threads(load, 0.02);
    ASSERT_TRUE(threads.has_value()) << threads.error();
    EXPECT_GT(threads->operations, 0u);
    if (world.io_engine() != os::IoEngine::ring) continue;
    const auto ring = (*files)->run_ring(load, 0.02);
    ASSERT_TRUE(ring.has_value()) << ring.error();
    EXPECT_GT(ring->operations, 0u);
  }
}

}  // namespace
}  // namespace parapet::bench

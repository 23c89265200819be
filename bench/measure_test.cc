#include "bench/measure.h"

#include <gtest/gtest.h>

#include <string>

namespace parapet::bench {
namespace {

TEST(MedianTest, IsTheMiddleOrTheMeanOfBothMiddles) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({4.0, 1.0, 100.0, 2.0}), 3.0);
}

TEST(TimeRatioTest, IsTheMedianOfTheRoundsRatios) { EXPECT_EQ(time_ratio({2.0, 8.0, 9.0}, {1.0, 2.0, 3.0}), 3.0); }

TEST(MeasureTest, TakesTurnsAndCountsCallsThroughAllCases) {
  std::string order;
  std::vector<std::size_t> calls;
  const auto work = [&](char name) {
    return [&order, &calls, name](std::size_t call) { order += name, calls.push_back(call); };
  };
  const auto samples = measure(std::vector<Work>{work('a'), work('b')}, {.sample_count = 3, .sample_seconds_min = 0.0});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].size(), 3u);
  EXPECT_EQ(samples[1].size(), 3u);
  // Warm-up and one calibrating sample each; then per round one untimed and one timed call each.
  EXPECT_EQ(order,
            "aabb"
            "aabb"
            "aabb"
            "aabb");
  for (std::size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(calls[i], i);
}

TEST(MeasureTest, ColdCasesGetNoUntimedCall) {
  std::size_t call_count = 0;
  measure(std::vector<Work>{[&](std::size_t) { ++call_count; }},
          {.sample_count = 5, .sample_seconds_min = 0.0, .warm = false});
  EXPECT_EQ(call_count, 2u + 5u);
}

}  // namespace
}  // namespace parapet::bench

#include "bench/pool_timing.h"

#include <gtest/gtest.h>

#include <atomic>

namespace parapet::bench {
namespace {

TEST(PoolTimingTest, CountsTheOperationsOfAllThreads) {
  std::atomic<unsigned> left = 100;
  TimedWork work;
  work.thread_count = 4;
  work.seconds = 1000;
  work.operation = [&](unsigned) -> Result<bool, Failure> {
    for (unsigned now = left; now > 0;)
      if (left.compare_exchange_weak(now, now - 1)) return true;
    return false;
  };
  const auto timing = time_work(work);
  ASSERT_TRUE(timing.has_value());
  EXPECT_EQ(timing->operations, 100u);
  EXPECT_EQ(timing->latencies_us.size(), 100u);
}

TEST(PoolTimingTest, GoesOnUntilThereIsEnough) {
  unsigned operations = 0;
  bool ended = false;
  TimedWork work;
  work.seconds = 1e-9;
  work.operation = [&](unsigned) -> Result<bool, Failure> { return ++operations > 0; };
  work.enough = [&] { return operations >= 3; };
  work.last = [&]() -> Result<void, Failure> {
    ended = true;
    return {};
  };
  // Ten times the wanted time is over before three operations: that is the limit.
  ASSERT_TRUE(time_work(work).has_value());
  EXPECT_TRUE(ended);
  work.seconds = 0.5;
  work.enough = [&] { return true; };
  work.operation = [&](unsigned) -> Result<bool, Failure> { return ++operations < 10; };
  ASSERT_TRUE(time_work(work).has_value());
  EXPECT_EQ(operations, 10u);
}

TEST(PoolTimingTest, AFailureStopsAllThreads) {
  TimedWork work;
  work.thread_count = 3;
  work.seconds = 1000;
  work.operation = [](unsigned thread) -> Result<bool, Failure> {
    if (thread == 1) return Failure("broken");
    return true;
  };
  const auto timing = time_work(work);
  ASSERT_FALSE(timing.has_value());
  EXPECT_EQ(timing.error(), "broken");
}

TEST(PoolTimingTest, PercentilesAreValues) {
  std::vector<float> values;
  for (int i = 999; i >= 0; --i) values.push_back(static_cast<float>(i));
  EXPECT_EQ(percentile(values, 0.5), 500);
  EXPECT_EQ(percentile(values, 0.99), 990);
  EXPECT_EQ(percentile(values, 0.999), 999);
  EXPECT_EQ(percentile({7}, 0.999), 7);
  EXPECT_EQ(percentile({}, 0.5), 0);
}

}  // namespace
}  // namespace parapet::bench

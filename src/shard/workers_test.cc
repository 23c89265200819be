#include "shard/workers.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <new>
#include <span>

namespace parapet::shard {
namespace {

class CountingWorker : public StripeWorker {
 public:
  CountingWorker(std::span<std::atomic<int>> counts, std::uint64_t failing) : counts_(counts), failing_(failing) {}
  FileResult<void> run(std::uint64_t stripe) override {
    if (stripe == failing_) return os_error("read", "bad", EIO);
    ++counts_[stripe];
    return {};
  }

 private:
  std::span<std::atomic<int>> counts_;
  std::uint64_t failing_;
};

FileResult<void> count(unsigned workers, std::span<std::atomic<int>> counts, std::uint64_t failing,
                       Progress& progress) {
  return run_workers(workers, counts.size(), "subject", progress,
                     [&](WorkerControl&) { return std::make_unique<CountingWorker>(counts, failing); });
}

TEST(Workers, RunEveryStripeOnce) {
  for (const unsigned workers : {1u, 2u, 7u}) {
    std::array<std::atomic<int>, 100> counts{};
    Progress progress;
    ASSERT_TRUE(count(workers, counts, UINT64_MAX, progress));
    for (const auto& times : counts) EXPECT_EQ(times, 1);
  }
}

TEST(Workers, DoNothingForNoStripes) {
  Progress progress;
  EXPECT_TRUE(count(2, {}, UINT64_MAX, progress));
}

TEST(Workers, ReturnTheErrorThatStoppedThem) {
  std::array<std::atomic<int>, 1000> counts{};
  Progress progress;
  const auto done = count(2, counts, 3, progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().subject, "bad");
}

TEST(Workers, StopOnRequest) {
  std::array<std::atomic<int>, 10> counts{};
  Progress progress;
  progress.stop = true;
  const auto done = count(2, counts, UINT64_MAX, progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().error.code, ErrorCode::interrupted);
  for (const auto& times : counts) EXPECT_EQ(times, 0);
}

TEST(Workers, TurnLackOfMemoryIntoAnError) {
  Progress progress;
  const auto done = run_workers(2, 5, "subject", progress,
                                [](WorkerControl&) -> std::unique_ptr<StripeWorker> { throw std::bad_alloc(); });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().error.os_errno, ENOMEM);
}

}  // namespace
}  // namespace parapet::shard

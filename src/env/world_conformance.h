// For tests: what every World's threads, locks, clock and chance must do (see conformance_harness.h).
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "env/conformance_harness.h"

namespace parapet::env {

template <WorldHarness Harness>
class WorldConformance : public ConformanceTest<Harness> {};

TYPED_TEST_SUITE_P(WorldConformance);

TYPED_TEST_P(WorldConformance, TheClockDoesNotGoBack) {
  this->run([&] {
    Time last = this->world().now();
    for (int i = 0; i < 1000; ++i) {
      const Time next = this->world().now();
      EXPECT_GE(next, last);
      last = next;
    }
  });
}

TYPED_TEST_P(WorldConformance, SleepUntilReachesTheTime) {
  this->run([&] {
    const Time time = this->world().now() + std::chrono::milliseconds(5);
    this->world().sleep_until(time);
    EXPECT_GE(this->world().now(), time);
    this->world().sleep_until(time);
    EXPECT_GE(this->world().now(), time);
  });
}

TYPED_TEST_P(WorldConformance, DestroyingAThreadWaitsForItsEnd) {
  this->run([&] {
    bool ended = false;
    this->world()
        .start_thread("slow",
                      [&] {
                        this->world().sleep_until(this->world().now() + std::chrono::milliseconds(5));
                        ended = true;
                      })
        .reset();
    EXPECT_TRUE(ended);
  });
}

TYPED_TEST_P(WorldConformance, AMutexLetsOneThreadInAtATime) {
  this->run([&] {
    constexpr int thread_count = 4, rounds = 500;
    const auto mutex = this->world().make_mutex();
    int inside = 0, counted = 0;
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < thread_count; ++t)
      threads.push_back(this->world().start_thread("counter", [&] {
        for (int i = 0; i < rounds; ++i) {
          const std::lock_guard lock(*mutex);
          EXPECT_EQ(++inside, 1);
          ++counted;
          --inside;
        }
      }));
    threads.clear();
    EXPECT_EQ(counted, thread_count * rounds);
  });
}

TYPED_TEST_P(WorldConformance, WaitUntilEndsAtTheDeadline) {
  this->run([&] {
    const auto mutex = this->world().make_mutex();
    const auto changed = this->world().make_cond_var();
    Lock lock(*mutex);
    const Time deadline = this->world().now() + std::chrono::milliseconds(5);
    while (changed->wait_until(lock, deadline)) {
    }
    EXPECT_GE(this->world().now(), deadline);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_FALSE(changed->wait_until(lock, deadline)) << "it has passed";
  });
}

/// Two threads take turns, each waiting for the other by `wait`.
template <class Wait>
void take_turns(World& world, const Wait& wait) {
  constexpr int turns = 200;
  const auto mutex = world.make_mutex();
  const auto changed = world.make_cond_var();
  int turn = 0;
  const auto play = [&](int parity) {
    Lock lock(*mutex);
    while (turn < turns) {
      while (turn < turns && turn % 2 != parity) wait(*changed, lock);
      if (turn < turns) ++turn;
      changed->notify_one();
    }
  };
  auto other = world.start_thread("odd", [&] { play(1); });
  play(0);
  other.reset();
  EXPECT_EQ(turn, turns);
}

TYPED_TEST_P(WorldConformance, NotifyWakesAWaitingThread) {
  this->run([&] { take_turns(this->world(), [](CondVar& changed, Lock& lock) { changed.wait(lock); }); });
}

TYPED_TEST_P(WorldConformance, NotifyWakesAThreadThatWaitsWithADeadline) {
  this->run([&] {
    const Time deadline = this->world().now() + std::chrono::hours(1);
    take_turns(this->world(), [=](CondVar& changed, Lock& lock) { EXPECT_TRUE(changed.wait_until(lock, deadline)); });
  });
}

TYPED_TEST_P(WorldConformance, ADeadlineThatDoesNotComeIsWaitedFor) {
  this->run([&] {
    take_turns(this->world(), [](CondVar& changed, Lock& lock) { EXPECT_TRUE(changed.wait_until(lock, never)); });
  });
}

TYPED_TEST_P(WorldConformance, NotifyAllWakesEveryThread) {
  this->run([&] {
    const auto mutex = this->world().make_mutex();
    const auto arrived = this->world().make_cond_var();
    const auto opened = this->world().make_cond_var();
    int waiting = 0, passed = 0;
    bool open = false;
    std::vector<std::unique_ptr<Thread>> threads;
    for (int t = 0; t < 5; ++t)
      threads.push_back(this->world().start_thread("waiter", [&] {
        Lock lock(*mutex);
        ++waiting;
        arrived->notify_one();
        while (!open) opened->wait(lock);
        ++passed;
      }));
    {
      Lock lock(*mutex);
      while (waiting < 5) arrived->wait(lock);
      EXPECT_EQ(passed, 0);
      open = true;
      opened->notify_all();
    }
    threads.clear();
    EXPECT_EQ(passed, 5);
  });
}

TYPED_TEST_P(WorldConformance, RandomBytesDiffer) {
  this->run([&] {
    std::array<std::uint8_t, 32> first{}, second{};
    this->world().fill_random(first);
    this->world().fill_random(second);
    EXPECT_NE(first, second);
    EXPECT_NE(first, (std::array<std::uint8_t, 32>{}));
    std::vector<std::uint8_t> long_one(100'000);
    this->world().fill_random(long_one);
    EXPECT_NE(std::vector(long_one.end() - 1000, long_one.end()), std::vector<std::uint8_t>(1000))
        << "filled to its end";
    this->world().fill_random({});
  });
}

REGISTER_TYPED_TEST_SUITE_P(WorldConformance, TheClockDoesNotGoBack, SleepUntilReachesTheTime,
                            DestroyingAThreadWaitsForItsEnd, AMutexLetsOneThreadInAtATime, WaitUntilEndsAtTheDeadline,
                            NotifyWakesAWaitingThread, NotifyWakesAThreadThatWaitsWithADeadline,
                            ADeadlineThatDoesNotComeIsWaitedFor, NotifyAllWakesEveryThread, RandomBytesDiffer);

}  // namespace parapet::env

#include "simenv/sim_world.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "simenv/sim_disk.h"
#include "simenv/sim_test.h"

namespace parapet::simenv {
namespace {

using namespace std::chrono_literals;
using Threads = std::vector<std::unique_ptr<env::Thread>>;

struct Outcome {
  std::uint64_t hash;
  std::string text;
  std::string order;
  bool operator==(const Outcome&) const = default;
};

// A bit of everything: locks, a condition variable, sleep, I/O, chance.
Outcome busy_world(std::uint64_t seed) {
  std::ostringstream text;
  Outcome outcome;
  SimWorld world(seed);
  world.trace(&text);
  SimDisk disk(world, 64 * block_size, "disk");
  world.run([&] {
    const auto mutex = world.make_mutex();
    const auto changed = world.make_cond_var();
    int arrived = 0;
    Threads threads;
    for (std::uint8_t t = 0; t < 4; ++t)
      threads.push_back(world.start_thread("worker", [&, t] {
        EXPECT_TRUE(write_at(world, disk, t * block_size, t));
        const std::lock_guard lock(*mutex);
        outcome.order += static_cast<char>('a' + t);
        ++arrived;
        changed->notify_all();
      }));
    env::Lock lock(*mutex);
    while (arrived < 4) changed->wait_until(lock, world.now() + 50us);
    lock.unlock();
    std::array<std::uint8_t, 8> bytes{};
    world.fill_random(bytes);
    world.note("byte " + std::to_string(bytes[0]));
    world.sleep_until(world.now() + 1ms);
  });
  disk.power_off();
  outcome.hash = world.trace_hash();
  outcome.text = text.str();
  return outcome;
}

TEST(SimWorld, OneSeedIsOneExecution) {
  std::set<std::uint64_t> hashes;
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Outcome first = busy_world(seed);
    ASSERT_EQ(first, busy_world(seed)) << seed;
    hashes.insert(first.hash);
    orders.insert(first.order);
  }
  EXPECT_EQ(hashes.size(), 50u);
  EXPECT_GT(orders.size(), 10u) << "of the 24";
}

TEST(SimWorld, TheTraceIsReadable) {
  const std::string text = busy_world(1).text;
  for (const char* const part : {"run worker task=", "begin disk write=", "end disk", "note byte ", "power off disk"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(SimWorld, TheHashCoversTimeNotesAndWrites) {
  const auto hash_of = [](env::Time pause, const char* note, std::uint8_t value) {
    SimWorld world(1, ScheduleOptions::calm());
    SimDisk disk(world, block_size, "disk");
    world.run([&] {
      world.sleep_until(pause);
      world.note(note);
      EXPECT_TRUE(write_at(world, disk, 0, value));
    });
    return world.trace_hash();
  };
  EXPECT_EQ(hash_of(1ms, "a", 1), hash_of(1ms, "a", 1));
  const std::set<std::uint64_t> hashes = {hash_of(1ms, "a", 1), hash_of(2ms, "a", 1), hash_of(1ms, "b", 1),
                                          hash_of(1ms, "a", 2)};
  EXPECT_EQ(hashes.size(), 4u);
}

TEST(SimWorld, ThreadsInterleaveAtLocks) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimWorld world(seed);
    std::string order;
    world.run([&] {
      const auto mutex = world.make_mutex();
      Threads threads;
      for (const char name : {'a', 'b'})
        threads.push_back(world.start_thread("worker", [&, name] {
          for (int i = 0; i < 2; ++i) {
            const std::lock_guard lock(*mutex);
            order += name;
          }
        }));
    });
    orders.insert(order);
  }
  EXPECT_EQ(orders, (std::set<std::string>{"aabb", "abab", "abba", "baab", "baba", "bbaa"}));
}

TEST(SimWorld, AnyRunnableThreadMayBeTheNext) {
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimWorld world(seed, ScheduleOptions::calm());
    std::string order;
    world.run([&] {
      Threads threads;
      for (const char name : {'a', 'b', 'c'})
        threads.push_back(world.start_thread("worker", [&, name] { order += name; }));
    });
    orders.insert(order);
  }
  EXPECT_EQ(orders, (std::set<std::string>{"abc", "acb", "bac", "bca", "cab", "cba"}));
}

TEST(SimWorld, AMutexIsHeldAcrossBlocking) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimWorld world(seed);
    world.run([&] {
      const auto mutex = world.make_mutex();
      int inside = 0;
      Threads threads;
      for (int t = 0; t < 4; ++t)
        threads.push_back(world.start_thread("worker", [&] {
          for (int i = 0; i < 5; ++i) {
            const std::lock_guard lock(*mutex);
            EXPECT_EQ(++inside, 1);
            world.sleep_until(world.now() + 10us);
            --inside;
          }
        }));
    });
  }
}

// A race that needs an unlucky schedule: the simulator must find it.
TEST(SimWorld, FindsARaceBetweenLocks) {
  int lost_updates = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SimWorld world(seed);
    int value = 0;
    world.run([&] {
      const auto mutex = world.make_mutex();
      const auto add_one = [&] {
        int copy = 0;
        {
          const std::lock_guard lock(*mutex);
          copy = value;
        }
        const std::lock_guard lock(*mutex);
        value = copy + 1;
      };
      auto other = world.start_thread("other", add_one);
      add_one();
    });
    lost_updates += value == 1;
  }
  EXPECT_GT(lost_updates, 0);
  EXPECT_LT(lost_updates, 100);
}

TEST(SimWorld, NotifyOneWakesAnyWaiterButOnlyOne) {
  std::set<int> woken;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimWorld world(seed, ScheduleOptions::calm());
    world.run([&] {
      const auto mutex = world.make_mutex();
      const auto changed = world.make_cond_var();
      std::vector<int> order;
      Threads threads;
      for (int t = 0; t < 3; ++t)
        threads.push_back(world.start_thread("waiter", [&, t] {
          env::Lock lock(*mutex);
          changed->wait(lock);
          order.push_back(t);
        }));
      for (std::size_t i = 1; i <= 3; ++i) {
        world.sleep_until(world.now() + 1ms);
        EXPECT_EQ(order.size(), i - 1);
        changed->notify_one();
      }
      threads.clear();
      ASSERT_EQ(order.size(), 3u);
      woken.insert(order[0]);
    });
  }
  EXPECT_EQ(woken, (std::set<int>{0, 1, 2}));
}

TEST(SimWorld, ATimedOutWaiterSwallowsNoNotification) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SimWorld world(seed, ScheduleOptions::calm());
    world.run([&] {
      const auto mutex = world.make_mutex();
      const auto changed = world.make_cond_var();
      const env::Time deadline = world.now() + 1ms;
      auto patient = world.start_thread("patient", [&] {
        env::Lock lock(*mutex);
        changed->wait(lock);  // Ends, or the world deadlocks.
      });
      bool in_time = true;
      auto hasty = world.start_thread("hasty", [&] {
        env::Lock lock(*mutex);
        in_time = changed->wait_until(lock, deadline);
      });
      world.sleep_until(deadline);
      changed->notify_one();
      hasty.reset();
      if (in_time) changed->notify_one();
    });
  }
}

TEST(SimWorld, WaitsEndSpuriouslyNowAndThen) {
  int spurious = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SimWorld world(seed);
    world.run([&] {
      const auto mutex = world.make_mutex();
      const auto changed = world.make_cond_var();
      env::Lock lock(*mutex);
      spurious += changed->wait_until(lock, world.now() + 10s);
    });
  }
  EXPECT_GT(spurious, 0);
  EXPECT_LT(spurious, 100);
}

TEST(SimWorld, TimeJumpsToTheNextEventAndCostsNothing) {
  SimWorld world(1, ScheduleOptions::calm());
  world.run([&] {
    std::vector<int> order;
    Threads threads;
    for (const int hours : {3, 1, 2})
      threads.push_back(world.start_thread("sleeper", [&, hours] {
        world.sleep_until(std::chrono::hours(hours));
        EXPECT_EQ(world.now(), std::chrono::hours(hours));
        order.push_back(hours);
      }));
    threads.clear();
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  });
}

TEST(SimWorld, RunWaitsForAllThreadsAndMayBeCalledAgain) {
  SimWorld world(1);
  std::unique_ptr<env::Thread> thread;
  bool ended = false;
  world.run([&] {
    thread = world.start_thread("late", [&] {
      world.sleep_until(1s);
      ended = true;
    });
  });
  EXPECT_TRUE(ended);
  world.run([&] { EXPECT_EQ(world.now(), 1s); });
}

TEST(SimWorld, ThousandsOfThreadsAndWorldsShareFewStacks) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimWorld world(seed);
    int ended = 0;
    world.run([&] {
      for (int round = 0; round < 5; ++round) {
        Threads threads;
        for (int t = 0; t < 10; ++t) threads.push_back(world.start_thread("short", [&] { ++ended; }));
      }
    });
    ASSERT_EQ(ended, 50);
  }
}

TEST(SimWorld, ADeadlineGivesUpIoThatNeverAnswers) {
  SimWorld world(1);
  SimDisk disk(world, block_size, "stuck disk");
  disk.faults().add({.kind = FaultKind::stuck});
  world.run([&] {
    const auto result = run_io(world, env::Io::Kind::read, disk, 0, filled(1), world.now() + 5ms);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().os_errno, ETIMEDOUT);
    EXPECT_GE(world.now(), 5ms);
    EXPECT_LT(world.now(), 6ms);
  });
}

// Two threads take two locks in opposite order.
void run_into_deadlock() {
  SimWorld world(1);
  const auto first = world.make_mutex();
  const auto second = world.make_mutex();
  world.run([&] {
    const std::lock_guard outer(*first);
    auto other = world.start_thread("other", [&] {
      const std::lock_guard lock(*second);
      const std::lock_guard crossed(*first);
    });
    world.sleep_until(1s);
    const std::lock_guard inner(*second);
  });
}

TEST(SimWorldDeath, ADeadlockNamesWhoWaitsForWhat) {
  EXPECT_DEATH(run_into_deadlock(), "deadlock.*\n.*'main' waits for a mutex\n.*'other' waits for a mutex");
}

TEST(SimWorldDeath, IoThatNeverAnswersIsADeadlock) {
  EXPECT_DEATH(
      {
        SimWorld world(1);
        SimDisk disk(world, block_size, "stuck disk");
        disk.faults().add({.kind = FaultKind::stuck});
        world.run([&] { read_at(world, disk, 0); });
      },
      "deadlock.*\n.*'main' waits for I/O");
}

TEST(SimWorldDeath, AWorldThatDoesNotEndIsFound) {
  EXPECT_DEATH(
      {
        SimWorld world(1);
        world.run([&] {
          for (;;) world.sleep_until(world.now() + 1s);
        });
      },
      "does not end");
}

TEST(SimWorldDeath, AThreadThatWaitsWithoutBlockingIsFound) {
  EXPECT_DEATH(
      {
        SimWorld world(1, {.decisions_max = 1000});
        world.run([&] {
          for (;;) world.sleep_until(world.now());
        });
      },
      "livelock");
}

TEST(SimWorldDeath, UnlockingAMutexOfAnotherIsAnError) {
  EXPECT_DEATH(
      {
        SimWorld world(1);
        world.run([&] { world.make_mutex()->unlock(); });
      },
      "assertion failed");
}

}  // namespace
}  // namespace parapet::simenv

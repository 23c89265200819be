#include "simenv/sim_disk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/test_seeds.h"
#include "simenv/sim_test.h"

namespace parapet::simenv {
namespace {

using namespace std::chrono_literals;
using Kind = env::Io::Kind;

constexpr std::uint64_t disk_size = 32 * block_size;

// Runs the body in a world of the seed with one disk.
void with_disk(std::uint64_t seed, const std::function<void(SimWorld&, SimDisk&)>& body) {
  SimWorld world(seed);
  SimDisk disk(world, disk_size, "disk");
  world.run([&] { body(world, disk); });
}

// Sets of texts: GCC 12 takes their order on vectors for an overflow.
std::string text(const std::vector<std::uint8_t>& block) { return {block.begin(), block.end()}; }

int errno_of(const Result<void>& result) { return result ? 0 : result.error().os_errno; }

TEST(SimDisk, APetabyteCostsNothing) {
  SimWorld world(1);
  SimDisk disk(world, std::uint64_t{1} << 50, "huge");
  world.run([&] {
    EXPECT_TRUE(write_at(world, disk, disk.size() - block_size, 7));
    EXPECT_EQ(read_at(world, disk, disk.size() - block_size), block_of(7));
    EXPECT_EQ(read_at(world, disk, disk.size() / 2), block_of(0));
  });
}

TEST(SimDisk, ErrorsAreReportedAndCounted) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    disk.faults().add({.kind = FaultKind::read_error});
    disk.faults().add({.kind = FaultKind::write_error});
    disk.faults().add({.kind = FaultKind::no_space, .first = 1});
    disk.faults().add({.kind = FaultKind::flush_error});
    const env::IoBuffer into(block_size);
    EXPECT_EQ(errno_of(run_io(world, Kind::read, disk, 0, into)), EIO);
    EXPECT_EQ(errno_of(write_at(world, disk, 0, 1)), EIO);
    EXPECT_EQ(errno_of(write_at(world, disk, 4096, 1)), ENOSPC);
    EXPECT_EQ(errno_of(flush(world, disk)), EIO);
    EXPECT_EQ(read_at(world, disk, 4096), block_of(0));
    EXPECT_TRUE(write_at(world, disk, 0, 2));
    EXPECT_TRUE(flush(world, disk));
    EXPECT_EQ(read_at(world, disk, 0), block_of(2));
    for (const FaultKind kind :
         {FaultKind::read_error, FaultKind::write_error, FaultKind::no_space, FaultKind::flush_error})
      EXPECT_EQ(disk.faults().count(kind), 1u) << fault_name(kind);
  });
}

TEST(SimDisk, AFailedWriteLeavesEachSectorOldOrNew) {
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    with_disk(seed, [&](SimWorld& world, SimDisk& disk) {
      disk.faults().add({.kind = FaultKind::write_error});
      EXPECT_FALSE(write_at(world, disk, 0, 1));
      const auto block = read_at(world, disk, 0);
      for (std::size_t i = 0; i < block_size; ++i) ASSERT_EQ(block[i], block[i / sector_size * sector_size]);
      seen.insert(text(block));
    });
  EXPECT_GT(seen.size(), 10u);
}

TEST(SimDisk, ALostWriteIsAcknowledged) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    EXPECT_TRUE(write_at(world, disk, 0, 1));
    disk.faults().add({.kind = FaultKind::lost_write});
    EXPECT_TRUE(write_at(world, disk, 0, 2));
    EXPECT_EQ(read_at(world, disk, 0), block_of(1));
  });
}

TEST(SimDisk, AMisdirectedWriteLandsElsewhere) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    disk.faults().add({.kind = FaultKind::misdirected_write});
    EXPECT_TRUE(write_at(world, disk, 0, 1));
    EXPECT_EQ(read_at(world, disk, 0), block_of(0));
    int found = 0;
    for (std::uint64_t at = 0; at < disk_size; at += block_size) found += read_at(world, disk, at) == block_of(1);
    EXPECT_EQ(found, 1);
  });
}

TEST(SimDisk, AMisdirectedReadBringsOtherBytes) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    for (std::uint8_t i = 0; i < 32; ++i) EXPECT_TRUE(write_at(world, disk, i * block_size, i));
    disk.faults().add({.kind = FaultKind::misdirected_read});
    const auto block = read_at(world, disk, 0);
    ASSERT_EQ(block.size(), block_size);
    EXPECT_NE(block[0], 0);
    EXPECT_LT(block[0], 32);
    EXPECT_EQ(block, block_of(block[0]));
    EXPECT_EQ(read_at(world, disk, 0), block_of(0));
  });
}

int different_bits(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::popcount(static_cast<unsigned>(a[i] ^ b[i]));
  return count;
}

TEST(SimDisk, RotFlipsOneBitForGood) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    EXPECT_TRUE(write_durable_at(world, disk, 0, 5));
    EXPECT_TRUE(write_durable_at(world, disk, block_size, 5));
    disk.rot(100);
    const auto rotten = read_at(world, disk, 0);
    EXPECT_NE(rotten[100], 5);
    EXPECT_EQ(different_bits(rotten, block_of(5)), 1);
    disk.faults().add({.kind = FaultKind::rot});
    EXPECT_EQ(different_bits(read_at(world, disk, block_size), block_of(5)), 1);
    EXPECT_EQ(different_bits(read_at(world, disk, block_size), block_of(5)), 1);
  });
}

TEST(SimDisk, SlowAndLateOperationsTakeLonger) {
  SimWorld world(1, ScheduleOptions::calm());
  SimDisk disk(world, disk_size, "disk", nvme_ssd_service_time());
  world.run([&] {
    const auto duration = [&] {
      const env::Time start = world.now();
      EXPECT_EQ(read_at(world, disk, 0), block_of(0));
      return world.now() - start;
    };
    const env::Time usual = duration();
    disk.faults().add({.kind = FaultKind::slow});
    EXPECT_EQ(duration(), 100 * usual);
    disk.faults().add({.kind = FaultKind::late});
    EXPECT_EQ(duration(), 1s + usual);
    EXPECT_EQ(duration(), usual);
  });
}

TEST(SimDisk, AStuckWriteLandsWhenItIsReleased) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    disk.faults().add({.kind = FaultKind::stuck});
    EXPECT_EQ(errno_of(run_io(world, Kind::write, disk, 0, filled(1), world.now() + 1s)), ETIMEDOUT);
    EXPECT_TRUE(write_at(world, disk, 0, 2));
    disk.release_stuck();
    world.sleep_until(world.now() + 1ms);
    EXPECT_EQ(read_at(world, disk, 0), block_of(1)) << "over what was written since";
  });
}

TEST(SimDisk, AStuckReadIsAnsweredWhenItIsReleased) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    disk.faults().add({.kind = FaultKind::stuck});
    auto releaser = world.start_thread("releaser", [&] {
      world.sleep_until(1s);
      disk.release_stuck();
    });
    EXPECT_EQ(read_at(world, disk, 0), block_of(0));
    EXPECT_GE(world.now(), 1s);
  });
}

TEST(SimDisk, ADeadDiskStaysDeadUntilItIsReplaced) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    EXPECT_TRUE(write_at(world, disk, 0, 1));
    disk.faults().add({.kind = FaultKind::dead, .first = 1});
    EXPECT_EQ(read_at(world, disk, 0), block_of(1));
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(read_at(world, disk, 0).empty());
      EXPECT_EQ(errno_of(write_at(world, disk, 0, 2)), EIO);
      EXPECT_EQ(errno_of(flush(world, disk)), EIO);
    }
    disk.set_dead(false);
    EXPECT_EQ(read_at(world, disk, 0), block_of(1));
  });
}

TEST(SimDisk, PowerLossKeepsWhatIsDurableAndAnyOfTheRest) {
  std::set<std::string> first_seen;
  std::set<std::pair<bool, bool>> whole_seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    with_disk(seed, [&](SimWorld& world, SimDisk& disk) {
      EXPECT_TRUE(write_at(world, disk, 0, 1));
      EXPECT_TRUE(flush(world, disk));
      EXPECT_TRUE(write_durable_at(world, disk, block_size, 2));
      EXPECT_TRUE(write_at(world, disk, 2 * block_size, 3));
      EXPECT_TRUE(write_at(world, disk, 3 * block_size, 4));
      EXPECT_EQ(disk.unflushed_count(), 2u);
      disk.power_off();
      EXPECT_TRUE(read_at(world, disk, 0).empty());
      disk.power_on();
      EXPECT_EQ(disk.unflushed_count(), 0u);
      EXPECT_EQ(read_at(world, disk, 0), block_of(1));
      EXPECT_EQ(read_at(world, disk, block_size), block_of(2));
      const auto third = read_at(world, disk, 2 * block_size), fourth = read_at(world, disk, 3 * block_size);
      first_seen.insert(text(third));
      if (third != block_of(3) && third != block_of(0)) return;
      if (fourth != block_of(4) && fourth != block_of(0)) return;
      whole_seen.insert({third == block_of(3), fourth == block_of(4)});
    });
  EXPECT_EQ(whole_seen.size(), 4u) << "none, both, the older one, the newer one";
  EXPECT_GT(first_seen.size(), 10u) << "torn in many ways";
}

TEST(SimDisk, AWriteThatEndsDuringAFlushIsNotCoveredByIt) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    EXPECT_TRUE(write_at(world, disk, 0, 1));
    disk.faults().add({.kind = FaultKind::late, .only = Kind::flush});
    auto flusher = world.start_thread("flusher", [&] { EXPECT_TRUE(flush(world, disk)); });
    world.sleep_until(world.now() + 10ms);
    EXPECT_TRUE(write_at(world, disk, block_size, 2));
    EXPECT_EQ(disk.unflushed_count(), 2u);
    flusher.reset();
    ASSERT_EQ(disk.unflushed_count(), 1u);
    EXPECT_EQ(disk.unflushed()[0].offset, block_size);
  });
}

TEST(SimDisk, PowerLossEndsTheWorkOfTheMedia) {
  SimWorld world(1, ScheduleOptions::calm());
  SimDisk disk(world, std::uint64_t{1} << 40, "disk", hard_disk_service_time(std::uint64_t{1} << 40));
  world.run([&] {
    for (std::uint64_t i = 0; i < 100; ++i) EXPECT_TRUE(write_at(world, disk, i << 30, 1));
    disk.power_off();
    disk.power_on();
    const env::Time start = world.now();
    EXPECT_TRUE(flush(world, disk));
    EXPECT_LT(world.now() - start, 1ms);
  });
}

TEST(SimDisk, PowerLossEndsWhatIsUnderWay) {
  std::set<std::uint8_t> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    with_disk(seed, [&](SimWorld& world, SimDisk& disk) {
      disk.faults().add({.kind = FaultKind::stuck});
      auto writer =
          world.start_thread("writer", [&] { EXPECT_EQ(errno_of(write_durable_at(world, disk, 0, 1)), EIO); });
      world.sleep_until(world.now() + 10ms);
      ASSERT_EQ(disk.unflushed_count(), 1u);
      disk.power_off();
      writer.reset();
      disk.power_on();
      seen.insert(read_at(world, disk, 0)[0]);
    });
  EXPECT_EQ(seen, (std::set<std::uint8_t>{0, 1}));
}

// A thread that writes rising versions into four blocks of its own, and knows what must survive.
class Writer {
 public:
  Writer(SimWorld& world, env::Disk& disk, std::uint64_t first_block, std::uint64_t seed)
      : world_(world), disk_(disk), first_block_(first_block), prng_(seed) {}

  // Until the power fails.
  void run() {
    while (step()) {
    }
  }

  void check(SimDisk& disk) {
    for (std::size_t i = 0; i < blocks; ++i) {
      const auto block = read_at(world_, disk, (first_block_ + i) * block_size);
      for (std::size_t at = 0; at < block_size; at += sector_size) {
        EXPECT_GE(block[at], durable_[i]);
        EXPECT_LE(block[at], started_[i]);
        EXPECT_TRUE(std::equal(block.begin() + at, block.begin() + at + sector_size - 1, block.begin() + at + 1));
      }
    }
  }

 private:
  static constexpr std::size_t blocks = 4;
  using Versions = std::array<std::uint8_t, blocks>;

  bool step() {
    const std::size_t i = prng_.below(blocks);
    switch (prng_.below(4)) {
      case 0:
        return flush_all();
      case 1:
        if (!write_durable_at(world_, disk_, (first_block_ + i) * block_size, ++started_[i])) return false;
        durable_[i] = done_[i] = started_[i];
        return true;
      default:
        if (!write_at(world_, disk_, (first_block_ + i) * block_size, ++started_[i])) return false;
        done_[i] = started_[i];
        return true;
    }
  }

  bool flush_all() {
    const Versions covered = done_;
    if (!flush(world_, disk_)) return false;
    durable_ = covered;
    return true;
  }

  SimWorld& world_;
  env::Disk& disk_;
  std::uint64_t first_block_;
  base::Prng prng_;
  Versions started_{}, done_{}, durable_{};
};

TEST(SimDisk, WhatWasDurableSurvivesAnySchedule) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed)
    with_disk(seed, [&](SimWorld& world, SimDisk& disk) {
      const auto boot = disk.boot();
      std::vector<Writer> writers;
      for (std::uint64_t t = 0; t < 4; ++t) writers.emplace_back(world, *boot, 4 * t, seed + t);
      std::vector<std::unique_ptr<env::Thread>> threads;
      for (Writer& writer : writers) threads.push_back(world.start_thread("writer", [&] { writer.run(); }));
      world.sleep_until(world.now() + std::chrono::microseconds(seed * 37 % 5000));
      disk.power_off();
      disk.power_on();  // At once: the writers find out by their handle.
      threads.clear();
      for (Writer& writer : writers) writer.check(disk);
    });
}

TEST(SimDisk, OldHandlesFailForEver) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    const auto before = disk.boot();
    EXPECT_EQ(before->size(), disk_size);
    EXPECT_EQ(before->name(), "disk");
    EXPECT_TRUE(write_durable_at(world, *before, 0, 1));
    disk.power_off();
    const auto while_off = disk.boot();
    EXPECT_EQ(errno_of(write_at(world, *while_off, 0, 2)), EIO);
    disk.power_on();
    const std::uint64_t content = disk.content_hash();
    EXPECT_EQ(errno_of(write_durable_at(world, *before, 0, 2)), EIO);
    EXPECT_TRUE(read_at(world, *before, 0).empty());
    EXPECT_EQ(disk.content_hash(), content);
    const auto after = disk.boot();
    EXPECT_EQ(read_at(world, *after, 0), block_of(1));
    EXPECT_EQ(read_at(world, *while_off, 0), block_of(1)) << "made after the power loss";
  });
}

TEST(SimDisk, PowerLossCanBeExploredExhaustively) {
  std::set<std::string> seen;
  with_disk(1, [&](SimWorld& world, SimDisk& disk) {
    const SparsePages before = disk.durable();
    for (unsigned choice = 0; choice < 4; ++choice) {
      disk.restore(before);
      EXPECT_TRUE(write_at(world, disk, 0, 1));
      EXPECT_TRUE(write_at(world, disk, 0, 2));
      ASSERT_EQ(disk.unflushed().size(), 2u);
      EXPECT_EQ(disk.unflushed()[1].size, block_size);
      disk.power_off([&](std::size_t write, std::size_t) { return (choice >> write & 1) == 1; });
      disk.power_on();
      seen.insert(text(read_at(world, disk, 0)));
    }
  });
  EXPECT_EQ(seen, (std::set{text(block_of(0)), text(block_of(1)), text(block_of(2))}));
}

TEST(SimDisk, AStaleDiskComesBackFromASnapshot) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    EXPECT_TRUE(write_durable_at(world, disk, 0, 1));
    const SparsePages old = disk.durable();
    const std::uint64_t old_hash = disk.content_hash();
    EXPECT_TRUE(write_durable_at(world, disk, 0, 2));
    EXPECT_NE(disk.content_hash(), old_hash);
    disk.restore(old);
    EXPECT_EQ(disk.content_hash(), old_hash);
    EXPECT_EQ(read_at(world, disk, 0), block_of(1));
  });
}

TEST(SimDisk, AClonedDiskHasTheSameBytesAndALifeOfItsOwn) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    SimDisk clone(world, disk_size, "clone");
    EXPECT_TRUE(write_durable_at(world, disk, 0, 1));
    EXPECT_TRUE(write_at(world, disk, block_size, 2));
    clone.clone_content_from(disk);
    EXPECT_EQ(read_at(world, clone, 0), block_of(1));
    EXPECT_EQ(read_at(world, clone, block_size), block_of(0)) << "what is not durable is not cloned";
    EXPECT_TRUE(write_durable_at(world, clone, 0, 3));
    EXPECT_EQ(read_at(world, disk, 0), block_of(1));
  });
}

TEST(SimDisk, OverlappingOperationsHaveNoOrder) {
  std::set<std::uint8_t> winners;
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    with_disk(seed, [&](SimWorld& world, SimDisk& disk) {
      env::IoBatch batch(world);
      batch.write(disk, 0, filled(1));
      batch.write(disk, 0, filled(2));
      batch.run();
      EXPECT_TRUE(batch.first_error());
      winners.insert(read_at(world, disk, 0)[0]);
    });
  EXPECT_EQ(winners, (std::set<std::uint8_t>{1, 2}));
}

TEST(SimDisk, DurableAfterIsWhatPowerOffLeaves) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    (void)write_at(world, disk, 0, 1);
    (void)write_at(world, disk, 0, 2);
    (void)write_at(world, disk, block_size, 3);
    for (unsigned kept = 0; kept < 8; ++kept) {
      SimDisk copy(world, disk_size, "copy");
      copy.restore(disk.durable_after([kept](std::size_t write, std::size_t) { return (kept >> write & 1) != 0; }));
      EXPECT_EQ(read_at(world, copy, 0), block_of((kept & 2) != 0 ? 2 : kept & 1));
      EXPECT_EQ(read_at(world, copy, block_size), block_of((kept & 4) != 0 ? 3 : 0));
    }
    EXPECT_EQ(disk.unflushed_count(), 3u);
    EXPECT_EQ(read_at(world, disk, 0), block_of(2));
  });
}

TEST(SimDisk, ObserversSeeEveryBatchStartAndEveryOperationEnd) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    std::vector<std::size_t> unflushed;
    world.observe_io([&] { unflushed.push_back(disk.unflushed_count()); });
    env::IoBatch batch(world);
    batch.write(disk, 0, filled(1));
    batch.write_durable(disk, block_size, filled(2));
    batch.run();
    world.observe_io(nullptr);
    EXPECT_TRUE(batch.first_error());
    ASSERT_EQ(unflushed.size(), 4u);
    EXPECT_EQ(unflushed[0], 2u);
    EXPECT_EQ(unflushed[1], 2u);
    EXPECT_EQ(unflushed[3], 1u);
  });
}

TEST(SimDisk, AnObserverMayCutThePower) {
  with_disk(1, [](SimWorld& world, SimDisk& disk) {
    world.observe_io([&] { disk.power_off(); });
    env::IoBatch batch(world);
    batch.write(disk, 0, filled(1));
    batch.write(disk, block_size, filled(2));
    batch.run();
    EXPECT_EQ(batch.result(0).error().os_errno, EIO);
    EXPECT_EQ(batch.result(1).error().os_errno, EIO);
  });
}

TEST(SimDiskDeath, ABufferThatChangesUnderAWriteIsFound) {
  EXPECT_DEATH(with_disk(1,
                         [](SimWorld& world, SimDisk& disk) {
                           const env::IoBuffer buffer = filled(1);
                           disk.faults().add({.kind = FaultKind::late});
                           (void)run_io(world, Kind::write, disk, 0, buffer, world.now() + 1ms);
                           buffer.data()[0] = 2;
                           world.sleep_until(world.now() + 2s);
                         }),
               "assertion failed");
}

}  // namespace
}  // namespace parapet::simenv

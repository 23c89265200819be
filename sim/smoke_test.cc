#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "base/sanitizers.h"
#include "pool/pool.h"
#include "sim/model.h"
#include "simenv/sim_disk.h"

namespace parapet::sim {
namespace {

TEST(Smoke, WritesComeBack) {
  for (const auto scheme : {pool::Scheme::fo, pool::Scheme::fl, pool::Scheme::pl, pool::Scheme::plr}) {
    simenv::SimWorld world(7);
    std::vector<std::unique_ptr<simenv::SimDisk>> disks;
    for (int i = 0; i < 6; ++i)
      disks.push_back(std::make_unique<simenv::SimDisk>(world, 8 << 20, fmt::format("d{}", i)));
    world.run([&] {
      std::vector<env::Disk*> all;
      for (auto& disk : disks) all.push_back(disk.get());
      const auto made = pool::Pool::create(world, all, {"rs(4,2)", 128 << 10, scheme, 512 << 10});
      ASSERT_TRUE(made) << made.error().message();
      base::Prng prng(3);
      layout::SegmentId id;
      SegmentModel model(4 * (128 << 10));
      {
        auto pool = pool::Pool::open(world, all, {});
        ASSERT_TRUE(pool) << pool.error().message();
        const auto segment = (*pool)->allocate();
        ASSERT_TRUE(segment) << segment.error().message();
        id = *segment;
        for (int i = 0; i < 300; ++i) {
          Bytes bytes(1 + prng.below(20000));
          prng.fill(bytes.data(), bytes.size());
          const std::size_t offset = prng.below(model.size() - bytes.size());
          model.begin_write(offset, bytes);
          const auto written = (*pool)->write(id, offset, bytes);
          ASSERT_TRUE(written) << written.error().message();
          model.end_write(offset, bytes.size(), 1);
          if (i % 10 == 0) {
            const auto flushed = (*pool)->flush();
            ASSERT_TRUE(flushed) << flushed.error().message();
          }
          Bytes read(5000);
          const std::size_t at = prng.below(model.size() - read.size());
          ASSERT_TRUE((*pool)->read(id, at, read));
          ASSERT_EQ(read, model.bytes(at, read.size())) << i;
        }
        const auto verified = (*pool)->verify(id);
        ASSERT_TRUE(verified) << verified.error().message();
        const auto settled = (*pool)->settle();
        ASSERT_TRUE(settled) << settled.error().message();
        const auto verified2 = (*pool)->verify(id);
        ASSERT_TRUE(verified2) << verified2.error().message();
      }
      auto pool = pool::Pool::open(world, all, {});
      ASSERT_TRUE(pool) << pool.error().message();
      Bytes read(model.size());
      const auto outcome = (*pool)->read(id, 0, read);
      ASSERT_TRUE(outcome) << outcome.error().message();
      ASSERT_EQ(read, model.bytes(0, read.size()));
      const auto verified = (*pool)->verify(id);
      ASSERT_TRUE(verified) << verified.error().message();
    });
  }
}

TEST(Smoke, SegmentsThatNobodyUsesLeaveMemory) {
  simenv::SimWorld world(8);
  std::vector<std::unique_ptr<simenv::SimDisk>> disks;
  for (int i = 0; i < 3; ++i) disks.push_back(std::make_unique<simenv::SimDisk>(world, 8 << 20, fmt::format("d{}", i)));
  world.run([&] {
    std::vector<env::Disk*> all;
    for (auto& disk : disks) all.push_back(disk.get());
    ASSERT_TRUE(pool::Pool::create(world, all, {"rs(2,1)", 64 << 10, pool::Scheme::plr, 512 << 10}));
    pool::OpenOptions options;
    options.cache_size = 0;
    options.loaded_segments_max = 3;
    options.background = false;
    auto opened = pool::Pool::open(world, all, options);
    ASSERT_TRUE(opened) << opened.error().message();
    pool::Pool& pool = **opened;
    std::vector<layout::SegmentId> ids;
    for (std::uint8_t i = 0; i < 12; ++i) {
      ids.push_back(pool.allocate().value());
      ASSERT_TRUE(pool.write(ids.back(), 5000, Bytes(100, i + 1)));
    }
    EXPECT_GE(pool.status().loaded_segments, 12u) << "their updates are in the logs";
    ASSERT_TRUE(pool.settle());
    ASSERT_TRUE(pool.allocate());
    EXPECT_LE(pool.status().loaded_segments, 4u) << "one more makes room";
    for (std::uint8_t i = 0; i < 12; ++i) {
      Bytes read(100);
      ASSERT_TRUE(pool.read(ids[i], 5000, read));
      EXPECT_EQ(read, Bytes(100, i + 1));
      ASSERT_TRUE(pool.verify(ids[i]));
    }
    EXPECT_LE(pool.status().loaded_segments, 4u);
    // They go on as if they had never left.
    for (std::uint8_t i = 0; i < 12; ++i) ASSERT_TRUE(pool.write(ids[i], 5050, Bytes(100, i + 101)));
    ASSERT_TRUE(pool.flush());
    for (std::uint8_t i = 0; i < 12; ++i) {
      Bytes read(150);
      ASSERT_TRUE(pool.read(ids[i], 5000, read));
      EXPECT_EQ(read[49], i + 1);
      EXPECT_EQ(read[50], i + 101);
      ASSERT_TRUE(pool.verify(ids[i]));
    }
  });
}

// Somebody lists the segments and writes to one that its maker has not heard of yet.
TEST(Smoke, ASegmentThatIsFoundWhileItIsMadeIsOneSegment) {
  constexpr std::uint64_t seeds = base::has_address_sanitizer ? 20 : 300;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    simenv::SimWorld world(seed);
    std::vector<std::unique_ptr<simenv::SimDisk>> disks;
    for (int i = 0; i < 3; ++i)
      disks.push_back(std::make_unique<simenv::SimDisk>(world, 8 << 20, fmt::format("d{}", i)));
    world.run([&] {
      std::vector<env::Disk*> all;
      for (auto& disk : disks) all.push_back(disk.get());
      ASSERT_TRUE(pool::Pool::create(world, all, {"rs(2,1)", 64 << 10, pool::Scheme::plr, 512 << 10}));
      pool::OpenOptions options;
      options.cache_size = 0;
      std::map<layout::SegmentId, std::uint8_t> found;
      {
        auto pool = pool::Pool::open(world, all, options);
        ASSERT_TRUE(pool) << pool.error().message();
        std::atomic<bool> made = false;
        const auto finder = world.start_thread("finder", [&] {
          for (std::uint8_t turn = 1; !made; ++turn)
            for (layout::SegmentId id : (*pool)->segments()) {
              EXPECT_TRUE((*pool)->write(id, 0, Bytes(4096, turn)));
              EXPECT_TRUE((*pool)->flush());
              found[id] = turn;
            }
        });
        for (int i = 0; i < 6; ++i) {
          const auto id = (*pool)->allocate();
          ASSERT_TRUE(id) << id.error().message();
          EXPECT_TRUE((*pool)->write(*id, 4096, Bytes(4096, 7)));
          EXPECT_TRUE((*pool)->flush());
        }
        made = true;
      }
      auto pool = pool::Pool::open(world, all, options);
      ASSERT_TRUE(pool) << pool.error().message();
      for (layout::SegmentId id : (*pool)->segments()) {
        const auto verified = (*pool)->verify(id);
        EXPECT_TRUE(verified) << "seed " << seed << ": " << verified.error().message();
        Bytes bytes(8192);
        ASSERT_TRUE((*pool)->read(id, 0, bytes));
        EXPECT_EQ(bytes[0], found[id]) << "seed " << seed;
        EXPECT_EQ(bytes[4096], 7) << "seed " << seed;
      }
    });
  }
}

}  // namespace
}  // namespace parapet::sim

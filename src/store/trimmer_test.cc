#include "store/trimmer.h"

#include <gtest/gtest.h>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr std::uint64_t log_size = 256 << 10;
constexpr std::uint64_t disk_size = 4 << 20;

SegmentModel make_model(std::uint64_t id) { return {{id}, "rs(4,2)", 64 << 10}; }

std::uint64_t used(TestDevice& device) { return device.store->space_use().log_used; }
layout::Lsn durable_head(TestDevice& device) { return Store::identify(device.world, device.disk).value().log_head; }

TEST(Trimmer, AnEmptyLogIsNotTouched) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    const auto before = device.store->superblock();
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(device.store->superblock(), before);
  });
}

TEST(Trimmer, ImagesAreWrittenToTheirPlaces) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model(1);
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 4);
    ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 5000, 100, prng))));
    ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    const auto table = device.store->superblock().geometry.table_offset;
    const std::uint64_t home = device.home_offset({1});
    EXPECT_EQ(read_bytes(device, table, 4096), Bytes(4096)) << "only in the log";
    EXPECT_EQ(durable_head(device), 0u);
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_TRUE(layout::decode_table_page(0, read_bytes(device, table, 4096)).value()[0] == *device.store->slot({1}));
    const auto tag_bytes = read_bytes(device, home + (64 << 10), layout::tag_size(chunk.shape.tag));
    EXPECT_EQ(layout::decode_tag({1}, 4, chunk.shape.tag, tag_bytes).value(), chunk.tag);
    EXPECT_TRUE(same_bytes(read_bytes(device, home, 64 << 10), model.content(4)));
    EXPECT_EQ(used(device), 0u);
    EXPECT_GT(durable_head(device), 0u);
    EXPECT_EQ(device.store->superblock().log_flushed, durable_head(device));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    EXPECT_EQ(used(device), 0u);
  });
}

TEST(Trimmer, TheLogBeginsAtTheFirstUpdateThatIsNotMoved) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto first = make_model(1), second = make_model(2);
    base::Prng prng(1);
    Chunk& a = device.create(first, 0);
    Chunk& b = device.create(second, 0);
    ASSERT_TRUE(good(device.write(a, first.update(0, 0, 0, 4096, prng))));
    const auto staying = second.update(0, 0, 0, 4096, prng);
    device.append(b, staying);
    ASSERT_TRUE(good(device.commit()));
    ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(durable_head(device), staying->header.lsn);
    EXPECT_EQ(used(device), 4096u * 2 + 8192) << "the update, and what comes behind it";
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(first));
    EXPECT_TRUE(device.holds(second));
    device.mark_all_committed();
    ASSERT_TRUE(good(device.settle()));
    EXPECT_EQ(used(device), 0u);
  });
}

// The newer image that replaces an older one is not durable yet: the older one must not go.
TEST(Trimmer, AnImageStaysUntilItsSuccessorIsDurable) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    const auto first = make_model(1), second = make_model(2);
    device.create(first, 0);
    device.create(second, 0);
    const auto mark = [&](SegmentId id, unsigned holder) {
      device.change_slot(id, [=](layout::ChunkSlot& slot) { slot.missed.insert(holder); });
    };
    mark({1}, 3);
    ASSERT_TRUE(good(device.commit()));
    mark({2}, 4);
    ASSERT_TRUE(good(trim(*device.store)));
    ASSERT_TRUE(device.crash());
    ASSERT_EQ(device.store->segments().size(), 2u);
    EXPECT_EQ(device.store->slot({1})->missed, layout::HolderSet{3});
    EXPECT_EQ(device.store->slot({2})->missed, layout::HolderSet());
    EXPECT_TRUE(device.holds(first));
    mark({2}, 4);
    ASSERT_TRUE(good(device.commit()));
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(used(device), 0u);
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->slot({2})->missed, layout::HolderSet{4});
  });
}

TEST(Trimmer, ARemovalFreesNothingBeforeItIsDurable) {
  for (const bool durable : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, log_size, disk_size);
      auto model = make_model(1), other = make_model(2);
      base::Prng prng(1);
      Chunk& chunk = device.create(model, 4);
      device.create(other, 4);
      ASSERT_TRUE(good(trim(*device.store)));
      ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 5000, 100, prng))));
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 5000, 100, prng))));
      device.store->append_removal({1}, *device.store->reserve_slot_change({1}));
      if (durable) {
        ASSERT_TRUE(good(device.commit()));
      }
      ASSERT_TRUE(good(trim(*device.store)));
      if (durable) {
        EXPECT_EQ(used(device), 0u);
        EXPECT_EQ(device.store->space_use().leaving, 0u);
      }
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(other));
      EXPECT_EQ(device.store->slot({1}).has_value(), !durable);
      if (!durable) {
        EXPECT_TRUE(device.holds(model));
      }
    });
  }
}

// While a trim is under way, a page changes again.
TEST(Trimmer, ChangesThatComeMeanwhileAreKept) {
  for (const bool durable : {false, true}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      in_world(
          [&](simenv::SimWorld& world) {
            TestDevice device(world, log_size, disk_size);
            const auto model = make_model(1);
            device.create(model, 0);
            device.change_slot({1}, [](layout::ChunkSlot& slot) { slot.missed = {1}; });
            ASSERT_TRUE(good(device.commit()));
            {
              const auto other = world.start_thread("other", [&] {
                world.sleep_until(world.now() + std::chrono::microseconds(30 * seed));
                device.change_slot({1}, [](layout::ChunkSlot& slot) { slot.missed = {1, 2}; });
                if (durable) {
                  EXPECT_TRUE(good(device.commit()));
                }
              });
              ASSERT_TRUE(good(trim(*device.store)));
            }
            ASSERT_TRUE(device.crash());
            EXPECT_EQ(device.store->slot({1})->missed, durable ? (layout::HolderSet{1, 2}) : layout::HolderSet{1});
            EXPECT_TRUE(device.holds(model));
          },
          seed);
    }
  }
}

TEST(Trimmer, ATrimThatFailsLosesNothing) {
  for (const auto kind : {simenv::FaultKind::write_error, simenv::FaultKind::flush_error}) {
    for (std::uint64_t first = 0; first < 6; ++first) {
      in_world([&](simenv::SimWorld& world) {
        TestDevice device(world, log_size, disk_size);
        auto model = make_model(1);
        base::Prng prng(1);
        Chunk& chunk = device.create(model, 4);
        ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 5000, 100, prng))));
        ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
        device.disk.faults().add({.kind = kind, .first = first});
        const auto outcome = trim(*device.store);
        if (!outcome) {
          EXPECT_EQ(outcome.error().code, ErrorCode::io_failed);
          EXPECT_GT(used(device), 0u);
        }
        EXPECT_TRUE(device.holds(model));
        ASSERT_TRUE(device.crash());
        EXPECT_TRUE(device.holds(model));
        ASSERT_TRUE(good(trim(*device.store)));
        EXPECT_EQ(used(device), 0u);
        ASSERT_TRUE(device.crash());
        EXPECT_TRUE(device.holds(model));
      });
    }
  }
}

// Of many chunks at once: made, changed, removed, folded elsewhere.
TEST(Trimmer, PowerLossAtAnyOperationLosesNothing) {
  std::vector<SegmentModel> models;
  lose_power_at_every_operation(
      [&](TestDevice& device) {
        models.clear();
        base::Prng prng(1);
        for (std::uint64_t id = 1; id <= 4; ++id) {
          SegmentModel& model = models.emplace_back(make_model(id));
          const unsigned holder = id % 2 == 0 ? 4 : 0;
          Chunk& chunk = device.create(model, holder);
          for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 4096 * prng.below(8), 20480, prng))));
            ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
          }
          if (id == 2) {
            device.store->append_removal({2}, *device.store->reserve_slot_change({2}));
            ASSERT_TRUE(good(device.commit()));
            models.pop_back();
          }
          if (id == 3) {
            ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 0, 4096, prng))));
          }
        }
      },
      [](TestDevice& device) { return trim(*device.store); },
      [&](TestDevice& device) {
        if (device.store->segments().size() != models.size()) return ::testing::AssertionFailure() << "segments";
        for (const SegmentModel& model : models)
          if (const auto held = device.holds(model); !held) return held;
        return ::testing::AssertionSuccess();
      },
      512 << 10, disk_size);
}

// Over many turns of the ring, with moves and trims in between and power losses now and then.
TEST(Trimmer, TheLogGoesRoundManyTimes) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto data = make_model(1), parity = make_model(2);
    base::Prng prng(7);
    device.create(data, 0);
    device.create(parity, 4, 16 << 10);
    std::uint64_t logged = 0;
    for (int i = 0; i < 300; ++i) {
      const auto one = data.update(0, 0, 4096 * prng.below(12), 4096 * (1 + prng.below(3)), prng, device.ballot);
      const auto two = parity.update(4, prng.below(4), prng.below(60000), 1 + prng.below(3000), prng, device.ballot);
      ASSERT_TRUE(good(device.write(device.chunk_of(data), one)));
      ASSERT_TRUE(good(device.write(device.chunk_of(parity), two)));
      logged += one->size() + two->size();
      if (used(device) > log_size / 2) {
        ASSERT_TRUE(good(device.move(prng.below(2) == 0 ? TestDevice::fold_all : TestDevice::reserve_all)));
        ASSERT_TRUE(good(trim(*device.store)));
      }
      if (prng.below(10) == 0) {
        ASSERT_TRUE(device.crash());
        EXPECT_FALSE(device.damaged);
        ASSERT_TRUE(device.holds(data)) << i;
        ASSERT_TRUE(device.holds(parity)) << i;
        device.mark_all_committed();
      }
    }
    EXPECT_GT(logged, 10 * log_size);
    EXPECT_GT(durable_head(device), 5 * log_size);
  });
}

}  // namespace
}  // namespace parapet::store

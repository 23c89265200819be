// Room in the log, and group commit.
#include "store/store.h"

#include <gtest/gtest.h>

#include "store/store_state.h"

namespace parapet::store {
namespace {

// --- room in the log

// Nothing is left over of what was promised, whatever happens to it.
TEST(Store, PromisedRoomIsGivenBackExactly) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto data = make_model({1}), parity = make_model({2});
    base::Prng prng(3);
    const auto reserved = [&] { return device.store->space_use().log_reserved; };
    EXPECT_EQ(reserved(), 0u);
    device.create(data, 0);
    device.create(parity, 4, 64 << 10);
    EXPECT_EQ(reserved(), 0u);
    for (int round = 0; round < 30; ++round) {
      Chunk& d = device.chunk_of(data);
      Chunk& p = device.chunk_of(parity);
      ASSERT_TRUE(good(device.write(d, data.update(0, 0, 4096 * prng.below(12), 4096 * 3, prng))));
      ASSERT_TRUE(good(device.write(p, parity.update(4, prng.below(4), prng.below(60000), 2000, prng))));
      EXPECT_GT(reserved(), 0u) << "for moving them on";
      const std::size_t before = reserved();
      const auto cancelled = device.store->reserve_update(d, 5000);
      EXPECT_EQ(reserved(), before + *cancelled);
      device.store->cancel_reservation(*cancelled);
      EXPECT_EQ(reserved(), before);
      {
        Mover given_up(*device.store, TestDevice::fold_all);
        ASSERT_TRUE(good(given_up.write()));
      }
      EXPECT_EQ(reserved(), before) << "a pass that was given up";
      if (round % 3 == 0) {
        device.append(p, parity.update(4, 1, 0, 100, prng));
        ASSERT_TRUE(good(device.commit()));
        ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
        EXPECT_GT(reserved(), 0u) << "what is not committed stays";
        device.mark_all_committed();
      }
      ASSERT_TRUE(good(device.settle()));
      ASSERT_TRUE(good(device.settle()));
      EXPECT_EQ(reserved(), 0u);
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      const auto pressure = device.store->pressure();
      EXPECT_EQ(pressure.unmoved_data, 0u);
      EXPECT_EQ(pressure.unmoved_delta, 0u);
      if (round % 5 == 0) {
        ASSERT_TRUE(device.crash());
      }
    }
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(reserved(), 0u);
    EXPECT_TRUE(device.holds(data));
    EXPECT_TRUE(device.holds(parity));
  });
}

TEST(Store, WhoWaitsForRoomLeavesSomeToThoseWhoCannot) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    Chunk& chunk = device.create(make_model(), 0);
    auto waiter = world.start_thread("waiter", [&] {
      while (device.store->reserve_update(chunk, 4 << 10)) {
      }
    });
    device.store->wait_for([](const Store::Pressure& pressure) { return pressure.waiting; });
    const SpaceUse use = device.store->space_use();
    EXPECT_GE(use.log_size - use.log_used - use.log_reserved, use.log_size / 8);
    EXPECT_TRUE(good(device.store->try_reserve_update(chunk, 4 << 10)));
    EXPECT_TRUE(device.store->try_reserve_slot_change(segment));
    device.store->give_up();
  });
}

TEST(Store, RecoveryReservesWhatMovingNeeds) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(3);
    ASSERT_TRUE(good(device.write(device.create(model, 4), model.update(4, 0, 0, 100, prng))));
    const std::size_t before = device.store->space_use().log_reserved;
    EXPECT_GT(before, 0u);
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->space_use().log_reserved, before);
    device.mark_all_committed();
    ASSERT_TRUE(good(device.settle()));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
  });
}

// Whoever waits leaves a slack to those who cannot wait; even when it is used up, what was logged can be moved on.
TEST(Store, AFullLogCanAlwaysBeEmptied) {
  for (const unsigned holder : {0u, 4u}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model();
      base::Prng prng(3);
      Chunk& chunk = device.create(model, holder, 16 << 10);
      std::size_t count = 0;
      for (;; ++count) {
        auto next = model;
        const auto record = next.update(holder, 0, 4096 * prng.below(14), 8192, prng);
        const auto room = device.store->try_reserve_update(chunk, record->size());
        if (!room) {
          EXPECT_EQ(room.error().code, ErrorCode::no_space);
          break;
        }
        device.store->append_update(chunk, record, *room);
        ASSERT_TRUE(good(device.commit()));
        device.mark_committed(chunk, 0, record->header.id);
        model = next;
      }
      EXPECT_GT(count, 10u);
      const SpaceUse use = device.store->space_use();
      EXPECT_GE(use.log_used + use.log_reserved, use.log_size - 32 * 1024);
      EXPECT_LE(use.log_used + use.log_reserved, use.log_size);
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      ASSERT_TRUE(good(device.settle()));
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      EXPECT_TRUE(device.holds(model));
    });
  }
}

TEST(Store, AnUpdateThatIsTooLargeIsRefused) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    Chunk& chunk = device.create(make_model(), 0);
    const auto room = device.store->reserve_update(chunk, 64 << 10);
    ASSERT_FALSE(room);
    EXPECT_EQ(room.error().code, ErrorCode::invalid_argument);
    EXPECT_TRUE(good(device.store->reserve_update(chunk, 40 << 10)));
  });
}

TEST(Store, WhoWaitsForRoomGoesOnWhenThereIsSome) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    Chunk& chunk = device.create(make_model(), 0);
    std::vector<std::size_t> held;
    for (int i = 0; i < 6; ++i) {
      const auto room = device.store->try_reserve_update(chunk, 28 << 10);
      if (room) held.push_back(*room);
    }
    bool got = false;
    auto waiter = world.start_thread("waiter", [&] {
      const auto room = device.store->reserve_update(chunk, 40 << 10);
      EXPECT_TRUE(good(room));
      got = true;
      if (room) device.store->cancel_reservation(*room);
    });
    bool waiting = false;
    device.store->wait_for([&](const Store::Pressure& pressure) { return waiting = pressure.waiting; });
    EXPECT_TRUE(waiting);
    EXPECT_FALSE(got);
    for (const std::size_t room : held) device.store->cancel_reservation(room);
    waiter.reset();
    EXPECT_TRUE(got);
    EXPECT_FALSE(device.store->pressure().waiting);
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
  });
}

TEST(Store, WhoWaitsForRoomIsToldWhenTheDeviceGoesOut) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    Chunk& chunk = device.create(make_model(), 0);
    while (device.store->try_reserve_update(chunk, 28 << 10)) {
    }
    auto waiter = world.start_thread("waiter", [&] {
      const auto room = device.store->reserve_update(chunk, 40 << 10);
      ASSERT_FALSE(room);
      EXPECT_EQ(room.error().code, ErrorCode::io_failed);
    });
    device.store->wait_for([](const Store::Pressure& pressure) { return pressure.waiting; });
    device.store->give_up();
    waiter.reset();
    EXPECT_FALSE(device.store->reserve_slot_change(segment));
  });
}

TEST(Store, WhoFindsNoRoomForASlotAsksForSome) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    Chunk& chunk = device.create(make_model(), 0);
    std::vector<std::size_t> held;
    for (const std::size_t size : {28 << 10, 4 << 10, 100})
      while (const auto room = device.store->try_reserve_update(chunk, size)) held.push_back(*room);
    while (const auto room = device.store->try_reserve_slot_change(segment)) held.push_back(*room);
    EXPECT_TRUE(device.store->pressure().waiting);
    for (const std::size_t room : held) device.store->cancel_reservation(room);
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_FALSE(device.store->pressure().waiting) << "some was made";
    const auto room = device.store->try_reserve_slot_change(segment);
    EXPECT_TRUE(room);
  });
}

TEST(Store, PressureCountsWhatWaitsToBeMoved) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto data = make_model({1}), parity = make_model({2});
    base::Prng prng(3);
    Chunk& d = device.create(data, 0);
    Chunk& p = device.create(parity, 4);
    const auto first = data.update(0, 0, 0, 8192, prng), second = parity.update(4, 0, 0, 1000, prng);
    ASSERT_TRUE(good(device.write(d, first)));
    ASSERT_TRUE(good(device.write(p, second)));
    const auto pressure = device.store->pressure();
    EXPECT_EQ(pressure.log_size, 256u << 10);
    EXPECT_EQ(pressure.log_used, device.store->space_use().log_used);
    EXPECT_EQ(pressure.unmoved_data, first->size());
    EXPECT_EQ(pressure.unmoved_delta, second->size());
    EXPECT_EQ(device.store->space_use().log_foldable, first->size() + second->size());
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->pressure().unmoved_data, first->size());
    EXPECT_EQ(device.store->pressure().unmoved_delta, second->size());
    EXPECT_EQ(device.store->space_use().log_foldable, 0u) << "nobody knows yet what is committed";
    ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    EXPECT_EQ(device.store->pressure().unmoved_data, first->size()) << "so nothing is moved";
  });
}

TEST(Store, WakeEndsAWaitThatItsConditionWants) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    bool stop = false, ended = false;
    auto waiter = world.start_thread("waiter", [&] {
      device.store->wait_for([&](const Store::Pressure&) { return stop; });
      ended = true;
    });
    world.sleep_until(world.now() + std::chrono::milliseconds(1));
    EXPECT_FALSE(ended);
    stop = true;
    device.store->wake();
    waiter.reset();
    EXPECT_TRUE(ended);
  });
}

// --- group commit

TEST(Store, ABatchWhoseWriteFailedIsWrittenAgain) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(3);
    Chunk& chunk = device.create(model, 0);
    device.append(chunk, model.update(0, 0, 0, 8192, prng));
    device.disk.faults().add({.kind = simenv::FaultKind::write_error});
    env::IoBatch io(world);
    ASSERT_TRUE(device.store->close_batch());
    device.store->write_batch(io);
    io.run();
    ASSERT_FALSE(io.first_error());
    env::IoBatch again(world);
    device.store->write_batch(again);
    again.run();
    ASSERT_TRUE(good(again.first_error()));
    device.store->batch_written();
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
  });
}

TEST(Store, AnEmptyBatchIsNoBatch) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    EXPECT_FALSE(device.store->close_batch());
  });
}

// Power fails at every operation of a series of commits: each is there or not, in order, and what was acknowledged is.
TEST(Store, CommitsOutlivePowerLossAtAnyOperation) {
  for (std::uint64_t n = 0;; ++n) {
    bool done = false;
    in_world(
        [&](simenv::SimWorld& world) {
          TestDevice device(world);
          std::vector<SegmentModel> versions{make_model()};
          base::Prng prng(3);
          Chunk& chunk = device.create(versions[0], 0);
          device.die_at(n);
          std::size_t acknowledged = 0;
          for (int i = 0; i < 5; ++i) {
            versions.push_back(versions.back());
            if (!device.write(chunk, versions.back().update(0, 0, 4096 * prng.below(14), 8192, prng))) break;
            ++acknowledged;
          }
          done = acknowledged == 5;
          ASSERT_TRUE(device.crash());
          const UpdateId tip = device.chunk_of(versions[0]).tip[0];
          ASSERT_GE(tip.counter, acknowledged);
          ASSERT_LE(tip.counter, acknowledged + 1);
          EXPECT_TRUE(device.holds(versions[tip.counter]));
        },
        n);
    if (done) break;
    ASSERT_LT(n, 100u);
  }
}

TEST(Store, WhatIsCommittedStaysSo) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(3);
    Chunk& chunk = device.create(model, 4);
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(good(device.write(chunk, model.update(4, 1, 0, 100, prng))));
    device.mark_committed(chunk, 1, {1, 1});
    EXPECT_EQ(chunk.committed[1], (UpdateId{1, 2}));
    EXPECT_EQ(chunk.committed[0], UpdateId());
  });
}

TEST(Store, LackingHoldersAreMarked) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(3);
    Chunk& chunk = device.create(model, 4);
    ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 0, 100, prng))));
    device.append(chunk, model.update(4, 0, 0, 100, prng));
    device.store->mark_lacking(chunk, {5}, true);
    EXPECT_EQ(chunk.updates[0]->lacking, layout::HolderSet());
    EXPECT_EQ(chunk.updates[1]->lacking, layout::HolderSet{5});
    device.store->mark_lacking(chunk, {3}, false);
    EXPECT_EQ(chunk.updates[0]->lacking, layout::HolderSet{3});
    EXPECT_EQ(chunk.updates[1]->lacking, (layout::HolderSet{3, 5}));
  });
}

TEST(Store, ForgottenUpdatesKeepNeitherLogNorRoom) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(3);
    Chunk& chunk = device.create(model, 4);
    ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 0, 100, prng))));
    device.store->forget_updates(segment);
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    EXPECT_EQ(device.store->pressure().unmoved_delta, 0u);
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(device.store->space_use().log_used, 0u);
    device.store->forget_updates({12345});
  });
}

}  // namespace
}  // namespace parapet::store

#include "store/store.h"

#include <gtest/gtest.h>

#include "store/store_state.h"

namespace parapet::store {
namespace {

// --- identity

TEST(Store, ADeviceThatIsNoneIsNotFound) {
  in_world([](simenv::SimWorld& world) {
    simenv::SimDisk disk(world, 1 << 20, "empty");
    const auto found = Store::identify(world, disk);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::not_found);
    simenv::SimDisk tiny(world, 8192, "tiny");
    const auto tiny_found = Store::identify(world, tiny);
    ASSERT_FALSE(tiny_found);
    EXPECT_EQ(tiny_found.error().code, ErrorCode::not_found);
  });
}

TEST(Store, ADeviceThatShrankIsCorrupt) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    simenv::SimDisk smaller(world, device.disk.size() - 4096, "smaller");
    const env::IoBuffer area(layout::superblock_area_size);
    ASSERT_TRUE(good(simenv::run_io(world, env::Io::Kind::read, device.disk, 0, area)));
    ASSERT_TRUE(good(simenv::run_io(world, env::Io::Kind::write, smaller, 0, area)));
    const auto found = Store::identify(world, smaller);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::corrupt);
  });
}

TEST(Store, FormattingForgetsEverything) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    ASSERT_TRUE(good(device.write(device.create(model, 0), model.update(0, 0, 0, 4096, prng))));
    ASSERT_TRUE(good(Store::format(world, device.disk, test_superblock(device.disk.size(), 256 << 10))));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.store->segments().empty());
    EXPECT_EQ(device.store->space_use().log_used, 0u);
    EXPECT_EQ(device.store->space_use().free, whole_space(device));
  });
}

TEST(Store, ASuperblockOutlivesPowerLossAtAnyOperation) {
  for (std::uint64_t n = 0;; ++n) {
    bool done = false;
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      device.die_at(n);
      done = device.store->update_superblock([](layout::Superblock& s) { s.ballot = 9; }).has_value();
      ASSERT_TRUE(device.crash());
      const std::uint32_t ballot = device.store->superblock().ballot;
      EXPECT_TRUE(ballot == 9 || (!done && ballot == 0)) << ballot;
    });
    if (done) break;
    ASSERT_LT(n, 10u);
  }
}

TEST(Store, AFailedChangeOfTheSuperblockIsNotBelieved) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    device.disk.faults().add({.kind = simenv::FaultKind::write_error, .times = 2});
    EXPECT_FALSE(device.store->update_superblock([](layout::Superblock& s) { s.ballot = 9; }));
    EXPECT_EQ(device.store->superblock().ballot, 0u);
    EXPECT_TRUE(good(device.store->update_superblock([](layout::Superblock& s) { s.ballot = 10; })));
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->superblock().ballot, 10u);
  });
}

// --- the chunk table

TEST(Store, AChunkThatWasMadeIsThereAfterPowerLoss) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    const auto model = make_model();
    device.create(model, 4, 16 << 10);
    const auto slot = device.store->slot(segment);
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->slot(segment), slot);
    EXPECT_EQ(slot->state, layout::SlotState::live);
    EXPECT_EQ(device.store->segments(), std::vector<SegmentId>{segment});
    EXPECT_TRUE(device.store->segments_in_log().empty());
    EXPECT_TRUE(device.holds(model)) << "zeros";
    EXPECT_EQ(device.store->slot({78}), std::nullopt);
  });
}

TEST(Store, AnAllocationAloneIsNotDurable) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    const auto model = make_model();
    device.create(model, 0);
    const auto before = state_of(device);
    auto slot = *device.store->slot(segment);
    slot.segment = {78};
    ASSERT_TRUE(good(device.store->allocate_chunk(slot, 0)));
    device.store->cancel_allocation({78});
    EXPECT_EQ(state_of(device), before) << "cancelled";
    ASSERT_TRUE(good(device.store->allocate_chunk(slot, 0)));
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->segments(), std::vector<SegmentId>{segment});
    EXPECT_EQ(device.store->space_use().free, before.free);
  });
}

TEST(Store, ASegmentHasOneSlot) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    device.create(make_model(), 0);
    const auto again = device.store->allocate_chunk(*device.store->slot(segment), 0);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::no_space);
  });
}

// As many units stay free as the largest chunk needs to be folded into.
TEST(Store, AllocationLeavesSpaceForFolding) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    layout::ChunkSlot slot;
    slot.state = layout::SlotState::creating;
    slot.chunk_size = chunk_size;
    slot.code = "rs(4,2)";
    slot.devices = {0, 1, 2, 3, 4, 5};
    std::uint64_t count = 0;
    for (;; ++count) {
      slot.segment = {count + 1};
      const auto taken = device.store->allocate_chunk(slot, 0);
      if (taken) continue;
      EXPECT_EQ(taken.error().code, ErrorCode::no_space);
      break;
    }
    const SpaceUse use = device.store->space_use();
    EXPECT_EQ(use.taken, count * 2 * layout::unit_size);
    EXPECT_GE(use.free, 2 * layout::unit_size);
    EXPECT_LT(use.free, 4 * layout::unit_size);
    EXPECT_EQ(use.free + use.taken + use.leaving, whole_space(device));
  });
}

TEST(Store, ASlotThatDoesNotFitItsCodeIsRefused) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    layout::ChunkSlot slot;
    slot.state = layout::SlotState::creating;
    slot.segment = segment;
    slot.chunk_size = chunk_size;
    slot.code = "rs(4,2)";
    slot.devices = {0, 1, 2};
    EXPECT_FALSE(device.store->allocate_chunk(slot, 0)) << "three devices for six chunks";
    slot.code = "xyz(4,2)";
    slot.devices = {0, 1, 2, 3, 4, 5};
    EXPECT_FALSE(device.store->allocate_chunk(slot, 0));
    slot.code = "clay(4,2)";
    slot.chunk_size = 36 << 10;
    EXPECT_FALSE(device.store->allocate_chunk(slot, 0)) << "no whole rows";
    EXPECT_EQ(device.store->space_use().free, whole_space(device));
  });
}

TEST(Store, ARemovedChunkIsGoneAndItsUnitsAreFreeOnceTheLogHasPassed) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    ASSERT_TRUE(good(device.write(device.create(model, 0), model.update(0, 0, 0, 4096, prng))));
    const std::uint64_t taken = device.store->space_use().taken;
    const auto room = device.store->reserve_slot_change(segment);
    device.store->append_removal(segment, *room);
    EXPECT_EQ(device.store->slot(segment), std::nullopt);
    ASSERT_TRUE(good(device.commit()));
    SpaceUse use = device.store->space_use();
    EXPECT_EQ(use.taken, 0u);
    EXPECT_EQ(use.leaving, taken);
    EXPECT_EQ(use.log_reserved, 0u);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.store->segments().empty());
    EXPECT_TRUE(device.store->segments_in_log().empty());
    EXPECT_LT(device.store->space_use().free, whole_space(device)) << "the log has images of units that nobody owns";
    EXPECT_GT(device.store->space_use().leaving, 0u);
    ASSERT_TRUE(good(trim(*device.store)));
    use = device.store->space_use();
    EXPECT_EQ(use.free, whole_space(device));
    EXPECT_EQ(use.log_used, 0u);
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->space_use().free, whole_space(device));
  });
}

// The images that the log has of a chunk's old units must not be taken for those of the next owner.
TEST(Store, UnitsAreNotGivenOutWhileTheLogHasImagesOfThem) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, 512 << 10);
    std::uint64_t next = 100;
    base::Prng prng(1);
    std::map<SegmentId, SegmentModel> models;
    for (int round = 0; round < 60; ++round) {
      if (models.size() < 3) {
        const SegmentModel model = make_model({next++});
        device.create(model, 5);
        models.emplace(model.id, model);
      }
      for (auto& [id, model] : models) {
        Chunk& chunk = device.chunk_of(model);
        ASSERT_TRUE(good(device.write(chunk, model.update(5, prng.below(4), prng.below(60000), 3000, prng))));
      }
      ASSERT_TRUE(good(device.move({true, true, false})));
      if (prng.below(2) == 0) {
        const SegmentId gone = std::next(models.begin(), prng.below(models.size()))->first;
        const auto room = device.store->try_reserve_slot_change(gone);
        if (room) {
          device.store->append_removal(gone, *room);
          ASSERT_TRUE(good(device.commit()));
          models.erase(gone);
        }
      }
      if (round % 3 == 0) {
        ASSERT_TRUE(good(trim(*device.store)));
      }
      if (round % 4 == 1) {
        ASSERT_TRUE(device.crash());
      }
      EXPECT_EQ(device.store->segments().size(), models.size());
      for (auto& [id, model] : models) ASSERT_TRUE(device.holds(model)) << "round " << round;
    }
  });
}

TEST(Store, TheChunkThatIsFilledIsThereOnceItsSlotIs) {
  for (const bool durable : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model();
      base::Prng prng(1);
      for (std::uint32_t block = 0; block < 16; ++block) model.update(1, 1, block * 4096, 4096, prng);
      layout::ChunkSlot slot;
      slot.state = layout::SlotState::creating;
      slot.segment = segment;
      slot.chunk = 1;
      slot.chunk_size = chunk_size;
      slot.code = "rs(4,2)";
      slot.devices = {0, 1, 2, 3, 4, 5};
      ASSERT_TRUE(good(device.store->allocate_chunk(slot, 0)));
      layout::ChunkTag tag(segment, 1, layout::data_tag_shape(16));
      tag.home = tag.reserved = {model.tip[1]};
      for (std::uint32_t block = 0; block < 16; ++block) tag.checksums[block] = model.data_checksum_of(1, block);
      const env::IoBuffer bytes(chunk_size);
      std::ranges::copy(model.data[1], bytes.data());
      env::IoBatch io(world);
      device.store->fill_allocated(segment, tag, bytes, io);
      io.run();
      ASSERT_TRUE(good(io.first_error()));
      device.change_slot(segment, [](layout::ChunkSlot&) {});
      if (durable) {
        ASSERT_TRUE(good(device.commit()));
      }
      ASSERT_TRUE(device.crash());
      EXPECT_EQ(device.store->slot(segment).has_value(), durable);
      if (!durable) return;
      EXPECT_TRUE(device.holds(model));
      EXPECT_EQ(device.chunk_of(model).tag, tag);
    });
  }
}

}  // namespace
}  // namespace parapet::store

#include "store/store.h"

#include <gtest/gtest.h>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr std::uint32_t chunk_size = 64 << 10;
constexpr SegmentId segment{77};

SegmentModel make_model(SegmentId id = segment, const char* code = "rs(4,2)", std::uint32_t size = chunk_size) {
  return {id, code, size};
}

/// What a store says of itself, to compare two recoveries.
struct State {
  std::vector<layout::ChunkSlot> slots;
  std::vector<layout::ChunkTag> tags;
  std::vector<Bytes> contents;
  std::vector<std::vector<UpdateId>> tips;
  std::vector<UpdateId> logged;
  std::uint64_t free, taken, leaving, log_used, log_reserved;
  friend bool operator==(const State&, const State&) = default;
};

State state_of(TestDevice& device) {
  State state{};
  for (SegmentId id : device.store->segments()) {
    state.slots.push_back(*device.store->slot(id));
    const auto found = device.store->chunk(id);
    if (!found) continue;
    Chunk& chunk = **found;
    state.tags.push_back(chunk.tag);
    state.tips.push_back(chunk.tip);
    for (const RecordPtr& record : chunk.updates) state.logged.push_back(record->header.id);
    state.contents.push_back(device.content(chunk).value_or(Bytes()));
  }
  const SpaceUse use = device.store->space_use();
  state.free = use.free;
  state.taken = use.taken;
  state.leaving = use.leaving;
  state.log_used = use.log_used;
  state.log_reserved = use.log_reserved;
  return state;
}

std::uint64_t whole_space(TestDevice& device) {
  return device.store->superblock().geometry.unit_count * std::uint64_t{layout::unit_size};
}

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
      ASSERT_TRUE(good(device.store->flush_device()));
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

// --- recovery

/// Chunks 0 (data) and 4 (parity) of different segments, with updates in home, reserve and log.
void fill_with_everything(TestDevice& device, SegmentModel& data, SegmentModel& parity, base::Prng& prng) {
  Chunk& d = device.create(data, 0);
  Chunk& p = device.create(parity, 4, 64 << 10);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      ASSERT_TRUE(good(device.write(d, data.update(0, 0, 4096 * prng.below(12), 4096 * 3, prng))));
      ASSERT_TRUE(good(device.write(p, parity.update(4, prng.below(4), prng.below(60000), 2000, prng))));
    }
    if (i == 0) {
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    }
    if (i == 1) {
      ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
    }
  }
}

TEST(Store, RecoveryIsIdempotent) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, 1 << 20);
    auto data = make_model({1}), parity = make_model({2});
    base::Prng prng(3);
    fill_with_everything(device, data, parity, prng);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(data));
    EXPECT_TRUE(device.holds(parity));
    EXPECT_FALSE(device.damaged);
    const State first = state_of(device);
    EXPECT_EQ(first.logged.size(), 8u);
    const auto durable = device.disk.content_hash();
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(state_of(device), first);
    EXPECT_EQ(device.disk.content_hash(), durable) << "it writes nothing";
    ASSERT_TRUE(device.open()) << "without power loss";
    EXPECT_EQ(state_of(device), first);
  });
}

TEST(Store, WhatIsNotDurableIsNotThere) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 0);
    ASSERT_TRUE(good(device.write(chunk, model.update(0, 0, 0, 8192, prng))));
    const auto committed = model;
    device.append(chunk, model.update(0, 0, 4096, 8192, prng));
    EXPECT_TRUE(device.holds(model)) << "staged";
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(committed));
    EXPECT_EQ(device.chunk_of(model).tip[0], committed.tip[0]);
  });
}

// The opening that went on from an earlier update has given the later ones up.
TEST(Store, AChainGoesOnFromWhereALaterOpeningFoundIt) {
  for (const unsigned holder : {0u, 4u}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model();
      base::Prng prng(1);
      Chunk& chunk = device.create(model, holder);
      ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 0, 8192, prng))));
      auto other_way = model;
      device.append(chunk, model.update(holder, 0, 0, 4096, prng));
      device.append(chunk, model.update(holder, 0, 8192, 4096, prng));
      ASSERT_TRUE(good(device.commit()));
      other_way.counter = model.counter;
      const auto onward = other_way.update(holder, 0, 4096, 8192, prng, 2);
      device.append(chunk, onward);
      ASSERT_TRUE(good(device.commit()));
      ASSERT_TRUE(device.crash());
      Chunk& again = device.chunk_of(model);
      EXPECT_EQ(again.updates.size(), 2u);
      EXPECT_EQ(again.tip[0], onward->header.id);
      EXPECT_TRUE(device.holds(other_way));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      EXPECT_EQ(device.store->space_use().log_used, 0u) << "what was given up does not keep the log";
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(other_way));
    });
  }
}

RecordPtr truncation(const SegmentModel& model, unsigned holder, unsigned chain, UpdateId last) {
  auto record = std::make_shared<Record>();
  record->header.kind = holder < model.code.k() ? layout::RecordKind::data : layout::RecordKind::delta;
  record->header.segment = model.id;
  record->header.chain = static_cast<std::uint8_t>(chain);
  record->header.id = record->header.from = last;
  record->payload = std::make_shared<const Bytes>();
  return record;
}

TEST(Store, AnEmptyUpdateTruncatesItsChain) {
  for (const unsigned holder : {0u, 4u}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model();
      base::Prng prng(1);
      Chunk& chunk = device.create(model, holder);
      ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 0, 8192, prng))));
      auto kept = model;
      device.append(chunk, model.update(holder, 0, 0, 4096, prng));
      device.append(chunk, model.update(holder, 0, 4096, 8192, prng));
      if (holder == 4) {
        const auto other = kept.update(4, 1, 100, 100, prng);
        kept.counter = model.counter;
        device.append(chunk, other);
      }
      device.append(chunk, truncation(model, holder, 0, kept.tip[0]));
      EXPECT_TRUE(device.holds(kept)) << "at once";
      EXPECT_EQ(chunk.tip[0], kept.tip[0]);
      ASSERT_TRUE(good(device.commit()));
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(kept)) << "and after recovery";
      EXPECT_EQ(device.chunk_of(model).tip[0], kept.tip[0]);
      // The chain goes on from there.
      ASSERT_TRUE(good(device.write(device.chunk_of(model), kept.update(holder, 0, 5000, 8000, prng, 2))));
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(kept));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      EXPECT_TRUE(device.holds(kept));
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    });
  }
}

TEST(Store, TruncationOfAWholeChainLeavesNothingReserved) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 0);
    const auto before = model;
    device.append(chunk, model.update(0, 0, 0, 4096, prng));
    device.append(chunk, truncation(model, 0, 0, {}));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    device.append(chunk, truncation(model, 0, 0, {}));
    ASSERT_TRUE(good(device.commit()));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(before));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(device.store->space_use().log_used, 0u);
  });
}

TEST(Store, AnUpdateTwiceIsOne) {
  for (const unsigned holder : {0u, 4u}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model();
      base::Prng prng(1);
      Chunk& chunk = device.create(model, holder);
      const auto first = model.update(holder, 0, 0, 8192, prng);
      const auto second = model.update(holder, 0, 4096, 8192, prng);
      for (const auto& record : {first, second}) ASSERT_TRUE(good(device.write(chunk, record)));
      // As when it is filled in although it is there: the log has a copy.
      device.append(chunk, std::make_shared<Record>(*first));
      ASSERT_TRUE(good(device.commit()));
      ASSERT_TRUE(device.crash());
      EXPECT_EQ(device.chunk_of(model).updates.size(), 2u);
      EXPECT_TRUE(device.holds(model));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      EXPECT_TRUE(device.holds(model));
      EXPECT_EQ(device.store->space_use().log_used, 0u);
    });
  }
}

TEST(Store, AGapMarksTheChunkDamaged) {
  for (const unsigned holder : {0u, 4u}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model(), other = make_model({5});
      base::Prng prng(1);
      Chunk& chunk = device.create(model, holder);
      Chunk& unharmed = device.create(other, holder);
      ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 0, 4096, prng))));
      model.update(holder, 0, 0, 4096, prng);
      ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 4096, 4096, prng))));
      ASSERT_TRUE(good(device.write(unharmed, other.update(holder, 0, 4096, 4096, prng))));
      ASSERT_TRUE(device.crash());
      const auto found = device.store->chunk(segment);
      ASSERT_FALSE(found);
      EXPECT_EQ(found.error().code, ErrorCode::corrupt);
      EXPECT_EQ(found.error().values[0], segment.value);
      EXPECT_EQ(device.store->segments_in_log(), (std::vector<SegmentId>{{5}, segment})) << "to be made anew";
      EXPECT_TRUE(device.holds(other));
      // It can be removed and made anew, and nothing of it keeps the log.
      const auto room = device.store->reserve_slot_change(segment);
      device.store->append_removal(segment, *room);
      ASSERT_TRUE(good(device.commit()));
      const auto fresh = make_model();
      device.create(fresh, holder);
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      ASSERT_TRUE(good(device.settle()));
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(fresh));
    });
  }
}

TEST(Store, ARottenTagIsCorruptAndOnlyThatChunk) {
  for (const bool with_updates : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      auto model = make_model(), other = make_model({5});
      base::Prng prng(1);
      Chunk& chunk = device.create(model, 4);
      device.create(other, 4);
      ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 0, 4096, prng))));
      ASSERT_TRUE(good(device.settle()));
      ASSERT_TRUE(good(device.settle()));
      if (with_updates) {
        ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 0, 4096, prng))));
      }
      device.disk.rot(device.home_offset(segment) + chunk_size + 100);
      ASSERT_TRUE(device.crash());
      const auto found = device.store->chunk(segment);
      ASSERT_FALSE(found);
      EXPECT_EQ(found.error().code, ErrorCode::corrupt);
      EXPECT_TRUE(device.holds(other));
      EXPECT_EQ(device.store->segments_in_log().size(), with_updates ? 1u : 0u);
    });
  }
}

TEST(Store, ATagInTheWrongPlaceIsCorrupt) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    const auto model = make_model(), other = make_model({5});
    device.create(model, 4);
    device.create(other, 4);
    ASSERT_TRUE(good(trim(*device.store)));
    const env::IoBuffer tag(layout::tag_size(layout::parity_tag_shape(4, 16)));
    ASSERT_TRUE(
        good(simenv::run_io(world, env::Io::Kind::read, device.disk, device.home_offset({5}) + chunk_size, tag)));
    ASSERT_TRUE(
        good(simenv::run_io(world, env::Io::Kind::write, device.disk, device.home_offset(segment) + chunk_size, tag)));
    ASSERT_TRUE(device.open());
    const auto found = device.store->chunk(segment);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::corrupt);
    EXPECT_TRUE(device.holds(other));
  });
}

TEST(Store, ARottenTablePageIsCorrupt) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    device.create(make_model(), 4);
    ASSERT_TRUE(good(trim(*device.store)));
    device.disk.rot(device.store->superblock().geometry.table_offset + 100);
    device.boot = device.disk.boot();
    Store store(world, *device.boot, device.codes, *Store::identify(world, *device.boot));
    const auto recovered = store.recover(7);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, ErrorCode::corrupt);
  });
}

TEST(Store, AReadErrorIsNotDamage) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 4);
    ASSERT_TRUE(good(trim(*device.store)));
    ASSERT_TRUE(good(device.write(chunk, model.update(4, 0, 0, 4096, prng))));
    simenv::ScriptedFault fault{.kind = simenv::FaultKind::read_error};
    fault.begin = device.home_offset(segment) + chunk_size;
    fault.end = fault.begin + 1;
    device.disk.faults().add(fault);
    Store store(world, device.disk, device.codes, *Store::identify(world, device.disk));
    const auto recovered = store.recover(7);
    ASSERT_FALSE(recovered);
    EXPECT_EQ(recovered.error().code, ErrorCode::io_failed);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
  });
}

TEST(Store, ALogThatEndsTooEarlyIsReported) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 0);
    const auto kept = model;
    ASSERT_TRUE(good(device.write(chunk, model.update(0, 0, 0, 4096, prng))));
    const std::uint64_t end = device.store->space_use().log_used;
    // What a trim would say: durable up to here.
    ASSERT_TRUE(good(device.store->update_superblock([&](layout::Superblock& s) { s.log_flushed = end; })));
    ASSERT_TRUE(device.crash());
    EXPECT_FALSE(device.damaged);
    device.disk.rot(device.store->superblock().geometry.log_offset + end - 4096);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.damaged);
    EXPECT_TRUE(device.holds(kept));
  });
}

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
    ASSERT_TRUE(device.store->close_batch(io));
    io.run();
    ASSERT_FALSE(io.first_error());
    env::IoBatch again(world);
    device.store->repeat_batch(again);
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
    env::IoBatch io(world);
    EXPECT_FALSE(device.store->close_batch(io));
    EXPECT_EQ(io.size(), 0u);
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

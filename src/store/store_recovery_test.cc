// What a store is after it was read back.
#include "store/store.h"

#include <gtest/gtest.h>

#include "store/store_state.h"

namespace parapet::store {
namespace {

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
  record->payload = SharedBytes();
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
    fault.times = 2;  // The first one is forgiven.
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

}  // namespace
}  // namespace parapet::store

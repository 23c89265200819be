// Moves that fail, and power lost at every operation of them.
#include "store/mover.h"
#include "store/mover_testing.h"
#include "store/trimmer.h"

namespace parapet::store {
namespace {

TEST_P(MoverTest, APassThatFailsChangesNothing) {
  for (const bool parity : {false, true}) {
    for (const auto kind : {simenv::FaultKind::write_error, simenv::FaultKind::flush_error}) {
      in_world([&](simenv::SimWorld& world) {
        TestDevice device(world, log_size, disk_size);
        auto model = make_model();
        base::Prng prng(1);
        const unsigned holder = parity ? parity_of(model) : 0;
        Chunk& chunk = device.create(model, holder);
        for (std::uint32_t at = 0; at < model.chunk_size; at += 16 << 10)
          ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, at, 16 << 10, prng))));
        const auto tag = chunk.tag;
        const SpaceUse before = device.store->space_use();
        device.disk.faults().add({.kind = kind});
        const auto moved = device.move(TestDevice::fold_all);
        ASSERT_FALSE(moved);
        EXPECT_EQ(moved.error().code, ErrorCode::io_failed);
        EXPECT_EQ(chunk.tag, tag);
        EXPECT_FALSE(chunk.moving);
        const SpaceUse after = device.store->space_use();
        EXPECT_EQ(after.log_reserved, before.log_reserved);
        EXPECT_EQ(after.free, before.free);
        EXPECT_EQ(after.leaving, before.leaving);
        EXPECT_TRUE(device.holds(model));
        ASSERT_TRUE(device.crash());
        EXPECT_TRUE(device.holds(model));
      });
    }
  }
}

TEST_P(MoverTest, ARottenHomeIsNotFolded) {
  for (const bool elsewhere : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, log_size, disk_size);
      auto rotten = make_model({1}), other = make_model({2});
      base::Prng prng(1);
      for (auto* model : {&rotten, &other}) {
        Chunk& chunk = device.create(*model, parity_of(*model));
        for (unsigned chain = 0; chain < model->code.k(); ++chain)
          ASSERT_TRUE(good(device.write(chunk, model->update(parity_of(*model), chain, 0, 4096, prng))));
      }
      ASSERT_TRUE(good(device.settle()));
      device.disk.rot(device.home_offset(rotten.id) + 10);
      const Chunk& chunk = device.chunk_of(rotten);
      for (auto* model : {&rotten, &other}) {
        if (elsewhere) {
          Chunk& whole = device.chunk_of(*model);
          for (std::uint32_t at = 0; at < model->chunk_size; at += 16 << 10)
            ASSERT_TRUE(good(device.write(whole, model->update(parity_of(*model), 0, at, 8000, prng))));
        } else {
          ASSERT_TRUE(good(device.write(device.chunk_of(*model), model->update(parity_of(*model), 0, 100, 100, prng))));
        }
      }
      const std::size_t waiting = chunk.updates.size();
      {
        Mover mover(*device.store, TestDevice::fold_all);
        ASSERT_TRUE(good(mover.write()));
        ASSERT_EQ(mover.failures().size(), 1u);
        EXPECT_EQ(mover.failures()[0].segment, rotten.id);
        EXPECT_EQ(mover.failures()[0].chunk, parity_of(rotten));
        EXPECT_EQ(mover.failures()[0].error.code, ErrorCode::corrupt);
        EXPECT_FALSE(chunk.moving);
        mover.append({});
        ASSERT_TRUE(good(device.commit()));
        mover.finish();
      }
      EXPECT_EQ(chunk.updates.size(), waiting);
      EXPECT_TRUE(device.chunk_of(other).updates.empty());
      EXPECT_TRUE(device.holds(other));
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(other));
      EXPECT_EQ(device.chunk_of(rotten).updates.size(), waiting);
    });
  }
}

TEST_P(MoverTest, WithoutSpaceForANewHomeAChunkIsLeftOut) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model));
    // Chunks of the least size take what is there, but for the spare units of one of them.
    std::uint64_t count = 0;
    layout::ChunkSlot slot = *device.store->slot(segment);
    slot.code = "rs(4,2)";
    slot.devices = {0, 1, 2, 3, 4, 5};
    slot.chunk = 0;
    slot.chunk_size = 4096;
    do slot.segment = {1000 + ++count};
    while (device.store->allocate_chunk(slot, 0));
    ASSERT_GT(count, 1u);
    write_all_over(device, model, prng);
    {
      Mover mover(*device.store, TestDevice::fold_all);
      ASSERT_TRUE(good(mover.write()));
      ASSERT_EQ(mover.failures().size(), 1u);
      EXPECT_EQ(mover.failures()[0].error.code, ErrorCode::no_space);
      EXPECT_TRUE(mover.empty());
    }
    EXPECT_FALSE(chunk.moving);
    EXPECT_TRUE(device.holds(model));
    for (std::uint64_t i = 1; i < count; ++i) device.store->cancel_allocation({1000 + i});
    ASSERT_TRUE(good(device.settle()));
    EXPECT_TRUE(device.holds(model));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
  });
}

// Whatever others reserve and append while a pass is under way, both find their room.
TEST_P(MoverTest, ThePassHasTheRoomThatItsImagesNeed) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    std::vector<SegmentModel> models;
    base::Prng prng(1);
    for (std::uint64_t i = 1; i <= (640u << 10) / GetParam().chunk_size; ++i) {
      const SegmentModel& model = models.emplace_back(make_model({i}));
      device.create(model, parity_of(model));
      ASSERT_TRUE(good(trim(*device.store)));
    }
    auto writer = make_model({50});
    Chunk& target = device.create(writer, 0);
    ASSERT_TRUE(good(trim(*device.store)));
    // A quarter of each chunk changes: as much as goes through the log.
    for (SegmentModel& model : models) {
      Chunk& chunk = device.chunk_of(model);
      const RowGeometry& rows = chunk.shape.rows;
      for (std::uint32_t row = 0; row < rows.row_count() / 4; ++row)
        device.append(chunk,
                      model.update(parity_of(model), 0, std::size_t{rows.blocks_of(row)[0]} * block_size, 100, prng));
    }
    ASSERT_TRUE(good(device.commit()));
    device.mark_all_committed();
    std::vector<std::pair<RecordPtr, std::size_t>> promised;
    {
      Mover mover(*device.store, TestDevice::fold_all);
      ASSERT_TRUE(good(mover.write()));
      for (;;) {
        auto next = writer;
        const auto record = next.update(0, 0, 0, 60 << 10, prng);
        const auto room = device.store->try_reserve_update(target, record->size());
        if (!room) break;
        writer = next;
        promised.emplace_back(record, *room);
      }
      ASSERT_GT(promised.size(), 0u);
      mover.append({});
      ASSERT_TRUE(good(device.commit()));
      mover.finish();
    }
    for (const auto& [record, room] : promised) {
      device.store->append_update(target, record, room);
      ASSERT_TRUE(good(device.commit()));
    }
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(writer));
    for (const auto& model : models) EXPECT_TRUE(device.holds(model));
    device.mark_all_committed();
    ASSERT_TRUE(good(device.settle()));
    ASSERT_TRUE(good(device.settle()));
    EXPECT_EQ(device.store->space_use().log_used, 0u);
    EXPECT_EQ(device.store->space_use().log_reserved, 0u);
  });
}

// --- power loss at every operation of a pass and of the trim behind it

class PowerLossTest : public MoverTest {
 protected:
  static Result<void> move_and_trim(TestDevice& device, const MovePolicy& policy) {
    PARAPET_CHECK(device.move(policy));
    return trim(*device.store);
  }
};
INSTANTIATE_TEST_SUITE_P(Codes, PowerLossTest, ::testing::ValuesIn(shapes), name_of);

TEST_P(PowerLossTest, WhileDataGoesHome) {
  auto model = make_model();
  lose_power_at_every_operation(
      [&](TestDevice& device) {
        model = make_model();
        base::Prng prng(1);
        Chunk& chunk = device.create(model, 1);
        for (int i = 0; i < 8; ++i) {
          ASSERT_TRUE(good(device.write(chunk, model.update(1, 1, 4096 * prng.below(12), 4096 * 3, prng))));
          if (i == 3) {
            ASSERT_TRUE(good(device.settle()));
          }
        }
      },
      [&](TestDevice& device) { return move_and_trim(device, TestDevice::fold_all); },
      [&](TestDevice& device) { return device.holds(model); }, log_size, disk_size);
}

TEST_P(PowerLossTest, WhileDeltasGoToTheReserve) {
  auto model = make_model();
  lose_power_at_every_operation(
      [&](TestDevice& device) {
        model = make_model();
        base::Prng prng(1);
        device.create(model, parity_of(model), 64 << 10);
        for (const auto& policy :
             {TestDevice::reserve_all, TestDevice::reserve_all, TestDevice::fold_all, TestDevice::reserve_all}) {
          write_deltas(device, model, 5, prng, model.chunk_size);
          ASSERT_TRUE(good(device.move(policy)));
        }
        write_deltas(device, model, 5, prng, model.chunk_size);
      },
      [&](TestDevice& device) { return move_and_trim(device, TestDevice::reserve_all); },
      [&](TestDevice& device) { return device.holds(model); }, log_size, disk_size);
}

TEST_P(PowerLossTest, WhileDeltasAreFoldedThroughTheLog) {
  auto model = make_model();
  lose_power_at_every_operation(
      [&](TestDevice& device) {
        model = make_model();
        base::Prng prng(1);
        device.create(model, parity_of(model), 16 << 10);
        for (const auto& policy : {TestDevice::fold_all, TestDevice::reserve_all}) {
          write_deltas(device, model, 5, prng);
          ASSERT_TRUE(good(device.move(policy)));
        }
        write_deltas(device, model, 5, prng);
      },
      [&](TestDevice& device) { return move_and_trim(device, TestDevice::fold_all); },
      [&](TestDevice& device) { return device.holds(model); }, log_size, disk_size);
}

TEST_P(PowerLossTest, WhileDeltasAreFoldedElsewhere) {
  auto model = make_model(), other = make_model({78});
  lose_power_at_every_operation(
      [&](TestDevice& device) {
        model = make_model();
        other = make_model({78});
        base::Prng prng(1);
        device.create(model, parity_of(model), 16 << 10);
        Chunk& beside = device.create(other, 0);
        ASSERT_TRUE(good(device.write(beside, other.update(0, 0, 0, 8192, prng))));
        write_deltas(device, model, 5, prng);
        ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
        write_all_over(device, model, prng);
      },
      [&](TestDevice& device) { return move_and_trim(device, TestDevice::fold_all); },
      [&](TestDevice& device) {
        const auto first = device.holds(model);
        return first ? device.holds(other) : first;
      },
      log_size, disk_size);
}

}  // namespace
}  // namespace parapet::store

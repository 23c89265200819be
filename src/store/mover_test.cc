#include "store/mover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr SegmentId segment{77};

struct Shape {
  const char* code;
  std::uint32_t chunk_size;
};
/// Rows of one block, of contiguous sub-chunks, of packets; a row is at most a quarter of the chunk.
constexpr Shape shapes[] = {{"rs(4,2)", 64 << 10},
                            {"xrs(4,2)", 64 << 10},
                            {"cauchy_good(3,2,packetsize=512)", 64 << 10},
                            {"clay(4,2)", 128 << 10}};

constexpr std::uint64_t log_size = 512 << 10;
constexpr std::uint64_t disk_size = 6 << 20;

class MoverTest : public ::testing::TestWithParam<Shape> {
 protected:
  static SegmentModel make_model(SegmentId id = segment) { return {id, GetParam().code, GetParam().chunk_size}; }
  /// The last parity chunk.
  static unsigned parity_of(const SegmentModel& model) { return model.code.n() - 1; }

  /// Writes committed updates of a few hundred bytes, all in the first row if within a block.
  static void write_deltas(TestDevice& device, SegmentModel& model, int count, base::Prng& prng,
                           std::uint32_t within = 4096) {
    Chunk& chunk = device.chunk_of(model);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t chain = prng.below(model.code.k()), length = 1 + prng.below(700);
      const std::uint64_t offset = prng.below(within - length);
      ASSERT_TRUE(good(device.write(chunk, model.update(parity_of(model), chain, offset, length, prng))));
    }
  }
  /// Updates that touch every row.
  static void write_all_over(TestDevice& device, SegmentModel& model, base::Prng& prng) {
    Chunk& chunk = device.chunk_of(model);
    for (std::uint32_t at = 0; at < model.chunk_size; at += 16 << 10)
      ASSERT_TRUE(
          good(device.write(chunk, model.update(parity_of(model), at / 4096 % model.code.k(), at, 16 << 10, prng))));
  }
};

std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  std::string name = info.param.code;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Codes, MoverTest, ::testing::ValuesIn(shapes), name_of);

/// The tag's own checksums are those of what lies in the home.
void expect_home_checksums(const Chunk& chunk, const Bytes& content) {
  for (std::uint32_t block = 0; block < chunk.shape.block_count; ++block) {
    const std::uint8_t* const bytes = content.data() + std::size_t{block} * block_size;
    const bool zeros = std::all_of(bytes, bytes + block_size, [](auto byte) { return byte == 0; });
    if (zeros && chunk.tag.checksums[block] == layout::checksum_unwritten) continue;
    EXPECT_EQ(chunk.tag.checksums[block],
              layout::chunk_block_checksum(chunk.tag.segment, chunk.tag.chunk, block, bytes))
        << "block " << block;
  }
}

// --- what a pass does

TEST_P(MoverTest, DataGoesHome) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, 1);
    const auto home = device.store->slot(segment)->home;
    for (int i = 0; i < 6; ++i)
      ASSERT_TRUE(good(device.write(chunk, model.update(1, 1, 4096 * prng.below(12), 4096 * 3, prng))));
    ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    EXPECT_TRUE(chunk.updates.empty());
    EXPECT_TRUE(chunk.newest.empty());
    EXPECT_EQ(chunk.tag.home, std::vector{model.tip[1]});
    EXPECT_EQ(chunk.tag.reserved, chunk.tag.home);
    EXPECT_EQ(device.store->slot(segment)->home, home) << "in place";
    expect_home_checksums(chunk, model.data[1]);
    EXPECT_TRUE(same_bytes(read_bytes(device, device.home_offset(segment), model.chunk_size), model.data[1]));
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    EXPECT_TRUE(device.chunk_of(model).updates.empty()) << "what the tag has does not come back";
  });
}

TEST_P(MoverTest, DeltasGoToTheReserve) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model), 64 << 10);
    const Bytes home_before = read_bytes(device, device.home_offset(segment), model.chunk_size);
    for (std::uint32_t pass = 1; pass <= 3; ++pass) {
      write_deltas(device, model, 8, prng);
      const std::uint32_t used = chunk.tag.reserve_used;
      ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_GT(chunk.tag.reserve_used, used);
      EXPECT_LE(chunk.tag.reserve_used, used + (model.code.k() + 1) * block_size) << "at most a block of each chain";
      EXPECT_EQ(chunk.tag.home, std::vector<UpdateId>(model.code.k()));
      EXPECT_EQ(chunk.tag.reserved, model.tip);
      EXPECT_TRUE(device.holds(model));
    }
    EXPECT_TRUE(same_bytes(read_bytes(device, device.home_offset(segment), model.chunk_size), home_before));
    EXPECT_EQ(device.store->space_use().reserve_used, chunk.tag.reserve_used);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    // Then it is folded as a whole.
    write_deltas(device, model, 1, prng);
    ASSERT_TRUE(good(device.settle()));
    Chunk& again = device.chunk_of(model);
    EXPECT_EQ(again.tag.reserve_used, 0u);
    EXPECT_EQ(again.tag.home, model.tip);
    EXPECT_EQ(again.tag.reserved, model.tip);
    EXPECT_TRUE(device.holds(model));
    expect_home_checksums(again, model.content(parity_of(model)));
  });
}

TEST_P(MoverTest, DeltasOfOneBlockAreOneInTheReserve) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model), 64 << 10);
    for (int i = 0; i < 12; ++i)
      ASSERT_TRUE(good(device.write(chunk, model.update(parity_of(model), 0, 8000 + 10 * i, 400, prng))));
    ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
    EXPECT_EQ(chunk.tag.reserve_used, block_size);
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, AFullReserveIsFolded) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model), 20 << 10);
    bool folded = false;
    for (int pass = 0; pass < 60 && !folded; ++pass) {
      write_deltas(device, model, 4, prng);
      const std::uint32_t used = chunk.tag.reserve_used;
      ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
      ASSERT_TRUE(good(trim(*device.store)));
      folded = chunk.tag.reserve_used == 0;
      EXPECT_TRUE(folded || chunk.tag.reserve_used > used);
      EXPECT_LE(chunk.tag.reserve_used, reserve_capacity(chunk.shape, *device.store->slot(segment)));
      EXPECT_TRUE(device.holds(model));
    }
    EXPECT_TRUE(folded);
    EXPECT_EQ(chunk.tag.home, model.tip);
    // The next records overwrite the old ones, which lie on behind them.
    write_deltas(device, model, 4, prng);
    ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
    EXPECT_GT(chunk.tag.reserve_used, 0u);
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, AFewDeltasAreFoldedThroughTheLog) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model));
    const auto home = device.store->slot(segment)->home;
    for (int pass = 0; pass < 3; ++pass) {
      write_deltas(device, model, 8, prng, 1000);
      const Bytes before = read_bytes(device, device.home_offset(segment), model.chunk_size);
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_EQ(chunk.tag.home, model.tip);
      EXPECT_EQ(device.store->slot(segment)->home, home);
      EXPECT_TRUE(same_bytes(read_bytes(device, device.home_offset(segment), model.chunk_size), before))
          << "a trimmer writes it there";
      EXPECT_TRUE(device.holds(model));
      expect_home_checksums(chunk, model.content(parity_of(model)));
      if (pass == 1) {
        ASSERT_TRUE(good(trim(*device.store)));
      }
    }
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(device.store->space_use().log_used, 0u);
    EXPECT_TRUE(same_bytes(read_bytes(device, device.home_offset(segment), block_size), [&] {
      auto bytes = model.content(parity_of(model));
      bytes.resize(block_size);
      return bytes;
    }()));
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, ManyDeltasAreFoldedElsewhere) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    const auto other = make_model({78});
    base::Prng prng(1);
    device.create(model, parity_of(model), 16 << 10);
    device.create(other, 0);
    const std::uint64_t taken = device.store->space_use().taken;
    for (int pass = 0; pass < 4; ++pass) {
      const auto home = device.store->slot(segment)->home;
      write_deltas(device, model, 3, prng);
      ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
      write_all_over(device, model, prng);
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      Chunk& chunk = device.chunk_of(model);
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_EQ(chunk.tag.home, model.tip);
      EXPECT_EQ(chunk.tag.reserve_used, 0u);
      EXPECT_NE(device.store->slot(segment)->home, home);
      EXPECT_TRUE(device.holds(model));
      expect_home_checksums(chunk, model.content(parity_of(model)));
      EXPECT_TRUE(same_bytes(read_bytes(device, device.home_offset(segment), model.chunk_size),
                             model.content(parity_of(model))));
      EXPECT_EQ(device.store->space_use().taken, taken);
      EXPECT_EQ(device.store->space_use().leaving, home.unit_count * layout::unit_size);
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      ASSERT_TRUE(good(trim(*device.store)));
      EXPECT_EQ(device.store->space_use().taken, taken);
      EXPECT_EQ(device.store->space_use().leaving, 0u);
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      EXPECT_TRUE(device.holds(other));
      if (HasFailure()) FAIL() << "pass " << pass;
    }
  });
}

// --- what a pass takes

TEST_P(MoverTest, OnlyCommittedUpdatesAreMoved) {
  for (const bool parity : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, log_size, disk_size);
      auto model = make_model();
      base::Prng prng(1);
      const unsigned holder = parity ? parity_of(model) : 0;
      Chunk& chunk = device.create(model, holder, 16 << 10);
      ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 0, 8192, prng))));
      const UpdateId committed = model.tip[0];
      const auto at_commit = model;
      device.append(chunk, model.update(holder, 0, 4096, 8192, prng));
      ASSERT_TRUE(good(device.commit()));
      for (const auto& policy : {TestDevice::reserve_all, TestDevice::fold_all}) {
        ASSERT_TRUE(good(device.move(policy)));
        EXPECT_EQ(chunk.tag.reserved[0], committed);
        EXPECT_EQ(chunk.updates.size(), 1u);
        EXPECT_EQ(chunk.tip[0], model.tip[0]);
        EXPECT_TRUE(device.holds(model));
      }
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      device.mark_committed(device.chunk_of(model), 0, model.tip[0]);
      ASSERT_TRUE(good(device.settle()));
      EXPECT_TRUE(device.holds(model));
      EXPECT_EQ(device.store->space_use().log_used, 0u);
      EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    });
  }
}

TEST_P(MoverTest, APolicyTakesDataOrParity) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto data = make_model({1}), parity = make_model({2});
    base::Prng prng(1);
    Chunk& d = device.create(data, 0);
    Chunk& p = device.create(parity, parity_of(parity));
    ASSERT_TRUE(good(device.write(d, data.update(0, 0, 0, 8192, prng))));
    ASSERT_TRUE(good(device.write(p, parity.update(parity_of(parity), 0, 0, 100, prng))));
    ASSERT_TRUE(good(device.move({false, false, false})));
    ASSERT_TRUE(good(device.move({true, false, false})));
    EXPECT_TRUE(d.updates.empty());
    EXPECT_EQ(p.updates.size(), 1u);
    ASSERT_TRUE(good(device.write(d, data.update(0, 0, 0, 8192, prng))));
    ASSERT_TRUE(good(device.move({false, true, false})));
    EXPECT_EQ(d.updates.size(), 1u);
    EXPECT_TRUE(p.updates.empty());
    EXPECT_TRUE(device.holds(data));
    EXPECT_TRUE(device.holds(parity));
  });
}

TEST_P(MoverTest, UpdatesThatComeMeanwhileStay) {
  for (const bool parity : {false, true}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, log_size, disk_size);
      auto model = make_model();
      base::Prng prng(1);
      const unsigned holder = parity ? parity_of(model) : 0;
      Chunk& chunk = device.create(model, holder, 16 << 10);
      const auto write = [&] {
        ASSERT_TRUE(good(device.write(chunk, model.update(holder, 0, 4096 * prng.below(3), 8192, prng))));
      };
      write();
      {
        Mover mover(*device.store, TestDevice::fold_all);
        write();
        ASSERT_TRUE(good(mover.write()));
        write();
        if (!parity) {
          EXPECT_TRUE(device.holds(model)) << "read while it is moved";
        }
        mover.append();
        const auto last = model.update(holder, 0, 0, 4096, prng);
        device.append(chunk, last);
        ASSERT_TRUE(good(device.commit()));
        device.mark_committed(chunk, 0, last->header.id);
        mover.finish();
      }
      EXPECT_EQ(chunk.updates.size(), 3u);
      EXPECT_EQ(chunk.tag.home[0].counter, 1u);
      EXPECT_TRUE(device.holds(model));
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      EXPECT_TRUE(device.holds(model));
      EXPECT_EQ(device.store->space_use().log_reserved, 0u);
    });
  }
}

TEST_P(MoverTest, SlotsThatChangeMeanwhileKeepTheirChange) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model();
    base::Prng prng(1);
    device.create(model, parity_of(model));
    write_all_over(device, model, prng);
    {
      Mover mover(*device.store, TestDevice::fold_all);
      ASSERT_TRUE(good(mover.write()));
      device.change_slot(segment, [](layout::ChunkSlot& slot) { slot.missed.insert(0); });
      mover.append();
      ASSERT_TRUE(good(device.commit()));
      mover.finish();
    }
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->slot(segment)->missed, layout::HolderSet{0});
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, PinnedChunksAreLeftForTheNextPass) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto pinned = make_model({1}), other = make_model({2});
    base::Prng prng(1);
    for (auto* model : {&pinned, &other}) {
      Chunk& chunk = device.create(*model, parity_of(*model));
      ASSERT_TRUE(good(device.write(chunk, model->update(parity_of(*model), 0, 0, 100, prng))));
    }
    {
      const Pin pin(*device.store, device.chunk_of(pinned));
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      EXPECT_EQ(device.chunk_of(pinned).updates.size(), 1u);
      EXPECT_TRUE(device.chunk_of(other).updates.empty());
    }
    ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
    EXPECT_TRUE(device.chunk_of(pinned).updates.empty());
    EXPECT_TRUE(device.holds(pinned));
  });
}

TEST_P(MoverTest, APinWaitsWhileTheChunkIsMoved) {
  for (const bool finish : {true, false}) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, log_size, disk_size);
      auto model = make_model();
      base::Prng prng(1);
      Chunk& chunk = device.create(model, parity_of(model));
      ASSERT_TRUE(good(device.write(chunk, model.update(parity_of(model), 0, 0, 100, prng))));
      bool pinned = false;
      std::unique_ptr<env::Thread> reader;
      {
        Mover mover(*device.store, TestDevice::fold_all);
        reader = world.start_thread("reader", [&] {
          const Pin pin(*device.store, chunk);
          pinned = true;
          EXPECT_EQ(chunk.tag.home[0].counter, finish ? 1u : 0u);
        });
        ASSERT_TRUE(good(mover.write()));
        world.sleep_until(world.now() + std::chrono::seconds(1));
        EXPECT_FALSE(pinned);
        if (finish) {
          mover.append();
          ASSERT_TRUE(good(device.commit()));
          EXPECT_FALSE(pinned);
          mover.finish();
        }
      }
      reader.reset();
      EXPECT_TRUE(pinned);
    });
  }
}

// Readers with pins, while writers write and a mover moves by every policy and trims: what they read at a vector is
// what was written up to it.
TEST_P(MoverTest, ReadersSeeTheirVectorWhileChunksMove) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    in_world(
        [&](simenv::SimWorld& world) {
          TestDevice device(world, 512 << 10, disk_size);
          auto model = make_model();
          base::Prng prng(seed);
          Chunk& chunk = device.create(model, parity_of(model), 16 << 10);
          std::map<std::uint64_t, Bytes> versions{{0, model.content(parity_of(model))}};
          bool stop = false;
          int reads = 0, moves = 0;
          std::vector<std::unique_ptr<env::Thread>> readers;
          for (std::uint64_t r = 0; r < 2; ++r)
            readers.push_back(world.start_thread("reader", [&, r] {
              base::Prng pauses(10 * seed + r);
              while (!stop) {
                world.sleep_until(world.now() + std::chrono::microseconds(pauses.below(1500)));
                const Pin pin(*device.store, chunk);
                const auto vector = chunk.committed;
                std::uint64_t newest = 0;
                for (const UpdateId& id : vector) newest = std::max(newest, id.counter);
                const auto content = device.parity_content(chunk, vector);
                ASSERT_TRUE(good(content));
                EXPECT_TRUE(same_bytes(*content, versions.at(newest))) << newest;
                ++reads;
              }
            }));
          for (int i = 0; i < 40; ++i) {
            const std::uint64_t length = prng.below(8) == 0 ? 20000 : 1 + prng.below(600);
            const auto record = model.update(parity_of(model), prng.below(model.code.k()),
                                             prng.below(model.chunk_size - length), length, prng);
            versions[record->header.id.counter] = model.content(parity_of(model));
            ASSERT_TRUE(good(device.write(chunk, record)));
            const auto before = chunk.tag.reserved;
            ASSERT_TRUE(good(device.move(prng.below(2) == 0 ? TestDevice::fold_all : TestDevice::reserve_all)));
            if (chunk.tag.reserved != before) ++moves;
            if (prng.below(3) == 0) {
              ASSERT_TRUE(good(trim(*device.store)));
            }
          }
          stop = true;
          readers.clear();
          EXPECT_GT(reads, 10);
          EXPECT_GT(moves, 10);
        },
        seed);
  }
}

TEST_P(MoverTest, WhoeverMayLackAnUpdateIsNamed) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model(), unharmed = make_model({78});
    base::Prng prng(1);
    const unsigned holder = parity_of(model);
    Chunk& chunk = device.create(model, holder);
    Chunk& other = device.create(unharmed, holder);
    ASSERT_TRUE(good(device.write(other, unharmed.update(holder, 0, 0, 100, prng))));
    const auto without_one = model.update(holder, 0, 0, 100, prng);
    without_one->header.sent_to.erase(0);
    ASSERT_TRUE(good(device.write(chunk, without_one)));
    ASSERT_TRUE(good(device.write(chunk, model.update(holder, 1, 0, 100, prng))));
    device.store->mark_lacking(chunk, {model.code.k()}, false);
    {
      Mover mover(*device.store, TestDevice::fold_all);
      const auto missed = mover.missed();
      ASSERT_EQ(missed.size(), 1u);
      EXPECT_EQ(missed[0].segment, segment);
      EXPECT_EQ(missed[0].holders, (layout::HolderSet{0, model.code.k()}));
    }
    ASSERT_TRUE(device.crash());
    device.mark_all_committed();
    Mover mover(*device.store, TestDevice::fold_all);
    ASSERT_EQ(mover.missed().size(), 1u) << "the records say so";
    EXPECT_EQ(mover.missed()[0].holders, layout::HolderSet{0});
  });
}

// --- what goes wrong

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
        mover.append();
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
      mover.append();
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

#include "store/mover.h"

#include "store/mover_testing.h"

namespace parapet::store {
namespace {

INSTANTIATE_TEST_SUITE_P(Codes, MoverTest, ::testing::ValuesIn(shapes), name_of);

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
        mover.append({});
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
      mover.append({});
      ASSERT_TRUE(good(device.commit()));
      mover.finish();
    }
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->slot(segment)->missed, layout::HolderSet{0});
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, SlotsNameWhoWasLeftOut) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, log_size, disk_size);
    auto model = make_model(), other = make_model({2});
    base::Prng prng(1);
    device.create(model, parity_of(model));
    device.create(other, parity_of(other));
    write_all_over(device, model, prng);
    write_all_over(device, other, prng);
    {
      Mover mover(*device.store, TestDevice::fold_all);
      ASSERT_TRUE(good(mover.write()));
      const Missed missed{segment, {0, 1}};
      mover.append({&missed, 1});
      ASSERT_TRUE(good(device.commit()));
      mover.finish();
    }
    ASSERT_TRUE(device.crash());
    EXPECT_EQ(device.store->slot(segment)->missed, (layout::HolderSet{0, 1}));
    EXPECT_EQ(device.store->slot({2})->missed, layout::HolderSet());
    EXPECT_TRUE(device.holds(model));
    EXPECT_TRUE(device.holds(other));
    EXPECT_EQ(device.store->space_use().log_reserved, 0u) << "it needs no room of its own";
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
          mover.append({});
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

}  // namespace
}  // namespace parapet::store

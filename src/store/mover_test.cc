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

class MoverTest : public ::testing::TestWithParam<Shape> {
 protected:
  static SegmentModel make_model(SegmentId id = segment) { return {id, GetParam().code, GetParam().chunk_size}; }
  /// The last parity chunk.
  static unsigned parity_of(const SegmentModel& model) { return model.code.n() - 1; }
  static std::uint64_t disk_size() { return 6 << 20; }

  /// Writes committed updates of a few hundred bytes in `rows` rows.
  static void write_deltas(TestDevice& device, SegmentModel& model, int count, base::Prng& prng,
                           std::uint32_t within = 4096) {
    Chunk& chunk = device.chunk_of(model);
    for (int i = 0; i < count; ++i) {
      const auto chain = static_cast<unsigned>(prng.below(model.code.k()));
      const auto length = static_cast<std::uint32_t>(1 + prng.below(700));
      const auto offset = static_cast<std::uint32_t>(prng.below(within - length));
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
    TestDevice device(world, 256 << 10, disk_size());
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
    const env::IoBuffer lies(model.chunk_size);
    ASSERT_TRUE(good(simenv::run_io(world, env::Io::Kind::read, device.disk, device.home_offset(segment), lies)));
    EXPECT_TRUE(same_bytes({lies.data(), lies.data() + lies.size()}, model.data[1]));
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    EXPECT_TRUE(device.chunk_of(model).updates.empty()) << "what the tag has does not come back";
  });
}

TEST_P(MoverTest, DeltasGoToTheReserve) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, 256 << 10, disk_size());
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model), 64 << 10);
    for (std::uint32_t pass = 1; pass <= 3; ++pass) {
      write_deltas(device, model, 8, prng);
      const std::uint32_t used = chunk.tag.reserve_used;
      const auto home = chunk.tag.home;
      ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_EQ(chunk.tag.reserve_used,
                used + (model.code.k() > 3 ? 5u : 4u) * 4096u - (model.code.k() > 3 ? 4096u : 0u))
          << "a block of each chain, and what describes them";
      EXPECT_EQ(chunk.tag.home, home);
      EXPECT_EQ(chunk.tag.reserved, model.tip);
      EXPECT_TRUE(device.holds(model));
    }
    EXPECT_EQ(device.store->space_use().reserve_used, chunk.tag.reserve_used);
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    // Then it is folded as a whole.
    ASSERT_TRUE(good(device.settle()));
    write_deltas(device, model, 1, prng);
    ASSERT_TRUE(good(device.settle()));
    Chunk& again = device.chunk_of(model);
    EXPECT_EQ(again.tag.reserve_used, 0u);
    EXPECT_EQ(again.tag.home, model.tip);
    EXPECT_TRUE(device.holds(model));
    expect_home_checksums(again, model.content(parity_of(model)));
  });
}

TEST_P(MoverTest, AFullReserveIsFolded) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, 256 << 10, disk_size());
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
    TestDevice device(world, 256 << 10, disk_size());
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model));
    const auto home = device.store->slot(segment)->home;
    for (int pass = 0; pass < 3; ++pass) {
      write_deltas(device, model, 8, prng, 1000);
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_EQ(chunk.tag.home, model.tip);
      EXPECT_EQ(device.store->slot(segment)->home, home) << "in place";
      EXPECT_TRUE(device.holds(model));
      expect_home_checksums(chunk, model.content(parity_of(model)));
      if (pass == 1) ASSERT_TRUE(good(trim(*device.store)));
    }
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(good(trim(*device.store)));
    EXPECT_EQ(device.store->space_use().log_used, 0u);
    EXPECT_TRUE(device.holds(model));
    ASSERT_TRUE(device.crash());
    EXPECT_TRUE(device.holds(model));
  });
}

TEST_P(MoverTest, ManyDeltasAreFoldedElsewhere) {
  in_world([](simenv::SimWorld& world) {
    TestDevice device(world, 512 << 10, disk_size());
    auto model = make_model();
    base::Prng prng(1);
    Chunk& chunk = device.create(model, parity_of(model));
    const auto other = make_model({78});
    device.create(other, 0);
    const std::uint64_t taken = device.store->space_use().taken;
    for (int pass = 0; pass < 3; ++pass) {
      const auto home = device.store->slot(segment)->home;
      write_all_over(device, model, prng);
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      EXPECT_TRUE(chunk.updates.empty());
      EXPECT_EQ(chunk.tag.home, model.tip);
      EXPECT_NE(device.store->slot(segment)->home, home);
      EXPECT_TRUE(device.holds(model));
      expect_home_checksums(chunk, model.content(parity_of(model)));
      SpaceUse use = device.store->space_use();
      EXPECT_EQ(use.taken, taken);
      EXPECT_EQ(use.leaving, home.unit_count * layout::unit_size) << "while the log has images of it";
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      device.mark_all_committed();
      ASSERT_TRUE(good(device.settle()));
      use = device.store->space_use();
      EXPECT_EQ(use.leaving, 0u);
      EXPECT_EQ(use.taken, taken);
      EXPECT_EQ(use.log_used, 0u);
      ASSERT_TRUE(device.crash());
      EXPECT_TRUE(device.holds(model));
      EXPECT_TRUE(device.holds(other));
      if (HasFailure()) FAIL() << "pass " << pass;
      in_place_again(device, model, prng);
      break;
    }
  });
}

}  // namespace
}  // namespace parapet::store

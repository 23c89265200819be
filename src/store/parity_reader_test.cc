#include "store/parity_reader.h"

#include <gtest/gtest.h>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr SegmentId segment{77};

struct Shape {
  const char* code;
  std::uint32_t chunk_size;
};
constexpr Shape shapes[] = {{"rs(4,2)", 64 << 10},
                            {"xrs(4,2)", 64 << 10},
                            {"cauchy_good(3,2,packetsize=512)", 64 << 10},
                            {"clay(4,2)", 128 << 10}};

/// A parity chunk with home, reserve and logged deltas, and what it held after each update.
class ParityReaderTest : public ::testing::TestWithParam<Shape> {
 protected:
  template <class Body>
  void run(const Body& body) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world, 512 << 10, 6 << 20);
      device_ = &device;
      SegmentModel model(segment, GetParam().code, GetParam().chunk_size);
      holder_ = model.code.n() - 1;
      Chunk& chunk = device.create(model, holder_, 64 << 10);
      versions_ = {model};
      for (int i = 0; i < 12; ++i) {
        const std::uint64_t length = 1 + prng_.below(6000);
        ASSERT_TRUE(good(device.write(chunk, model.update(holder_, prng_.below(model.code.k()),
                                                          prng_.below(model.chunk_size - length), length, prng_))));
        if (i == 3) {
          ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
        }
        if (i == 6) {
          ASSERT_TRUE(good(device.move(TestDevice::reserve_all)));
        }
        if (i < 6) versions_ = {model};
        if (i >= 6) versions_.push_back(model);
      }
      ASSERT_GT(chunk.tag.reserve_used, 0u);
      body(chunk);
    });
  }

  TestDevice* device_ = nullptr;
  unsigned holder_ = 0;
  std::vector<SegmentModel> versions_;  ///< From what the reserve has on.
  base::Prng prng_{5};
};

std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  std::string name = info.param.code;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}
INSTANTIATE_TEST_SUITE_P(Codes, ParityReaderTest, ::testing::ValuesIn(shapes), name_of);

TEST_P(ParityReaderTest, ReadsAsOfAnyVectorThatTheTagDoesNotExceed) {
  run([&](Chunk& chunk) {
    for (std::size_t i = 1; i < versions_.size(); ++i) {
      const auto content = device_->parity_content(chunk, versions_[i].tip);
      ASSERT_TRUE(good(content));
      EXPECT_TRUE(same_bytes(*content, versions_[i].content(holder_))) << i;
    }
  });
}

TEST_P(ParityReaderTest, ChainsMayStandAtDifferentPlaces) {
  run([&](Chunk& chunk) {
    for (unsigned chain = 0; chain < versions_[0].code.k(); ++chain) {
      // One chain at its tip, the others where the tag has them.
      SegmentModel mixed = versions_[1];
      mixed.data[chain] = versions_.back().data[chain];
      auto vector = chunk.tag.reserved;
      vector[chain] = chunk.tip[chain];
      const auto content = device_->parity_content(chunk, vector);
      ASSERT_TRUE(good(content));
      EXPECT_TRUE(same_bytes(*content, mixed.content(holder_))) << chain;
    }
  });
}

TEST_P(ParityReaderTest, AnyRowsCanBeReadAlone) {
  run([&](Chunk& chunk) {
    const RowGeometry& rows = chunk.shape.rows;
    const Bytes whole = versions_.back().content(holder_);
    for (std::uint32_t first = 0; first < rows.row_count(); ++first)
      for (std::uint32_t count = 1; first + count <= rows.row_count(); ++count) {
        const Pin pin(*device_->store, chunk);
        env::IoBatch io(device_->world);
        ParityReader reader(*device_->store, chunk, first, count, chunk.tip, io);
        io.run();
        Bytes bytes(count * rows.row_size());
        ASSERT_TRUE(good(reader.finish(io, bytes)));
        Bytes expected;
        for (std::uint32_t row = first; row < first + count; ++row)
          for (std::uint32_t block : rows.blocks_of(row))
            expected.insert(expected.end(), whole.begin() + block * std::size_t{block_size},
                            whole.begin() + (block + 1) * std::size_t{block_size});
        EXPECT_TRUE(same_bytes(bytes, expected)) << first << ' ' << count;
      }
  });
}

TEST_P(ParityReaderTest, KnowsTheChecksumsOfDataBlocksAsOfAnUpdate) {
  run([&](Chunk& chunk) {
    for (std::size_t i = 1; i < versions_.size(); ++i)
      for (unsigned chain = 0; chain < versions_[i].code.k(); ++chain)
        for (std::uint32_t block = 0; block < chunk.shape.block_count; ++block) {
          const std::uint32_t expected =
              versions_[i].written.contains({chain, block}) ? versions_[i].data_checksum_of(chain, block) : 0;
          ASSERT_EQ(data_checksum(*device_->store, chunk, chain, block, versions_[i].tip[chain]), expected)
              << i << ' ' << chain << ' ' << block;
        }
  });
}

TEST_P(ParityReaderTest, ADamagedHomeOrReserveIsCorrupt) {
  for (const bool of_reserve : {false, true}) {
    run([&](Chunk& chunk) {
      ASSERT_TRUE(good(trim(*device_->store)));
      std::uint32_t block = 0;
      while (chunk.tag.checksums[block] == layout::checksum_unwritten) ++block;
      device_->disk.rot(device_->home_offset(segment) +
                        (of_reserve ? reserve_offset(chunk.shape) : block * std::uint64_t{block_size}) + 9);
      const auto content = device_->parity_content(chunk, chunk.tip);
      ASSERT_FALSE(content);
      EXPECT_EQ(content.error().code, ErrorCode::corrupt);
    });
  }
}

TEST_P(ParityReaderTest, AnyNumberOfPinsAreHeldAtOnce) {
  run([&](Chunk& chunk) {
    {
      const Pin first(*device_->store, chunk), second(*device_->store, chunk);
      EXPECT_EQ(chunk.pins, 2u);
    }
    EXPECT_EQ(chunk.pins, 0u);
  });
}

}  // namespace
}  // namespace parapet::store

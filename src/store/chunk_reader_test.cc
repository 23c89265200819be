#include "store/chunk_reader.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr SegmentId segment{77};

SegmentModel make_model() { return {segment, "rs(4,2)", 64 << 10}; }

/// A data chunk of which blocks 2 to 6 and 9 are at home, and 3 and 10 in the log.
class ChunkReaderTest : public ::testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      device_ = &device;
      model_ = make_model();
      Chunk& chunk = device.create(model_, 1);
      ASSERT_TRUE(good(device.write(chunk, model_.update(1, 1, 2 * 4096, 5 * 4096, prng_))));
      ASSERT_TRUE(good(device.write(chunk, model_.update(1, 1, 9 * 4096, 4096, prng_))));
      ASSERT_TRUE(good(device.settle()));
      ASSERT_TRUE(good(device.write(chunk, model_.update(1, 1, 3 * 4096, 4096, prng_))));
      ASSERT_TRUE(good(device.write(chunk, model_.update(1, 1, 10 * 4096, 4096, prng_))));
      body(chunk);
    });
  }

  /// Reads blocks; how many operations that took goes to `operations_`.
  Result<Bytes> read(Chunk& chunk, std::uint32_t first, std::uint32_t count,
                     std::optional<UpdateId> upto = std::nullopt) {
    const env::IoBuffer into = simenv::filled(0xee, count * block_size);
    ChunkReader reader(*device_->store, chunk, first, count, into, upto);
    env::IoBatch io(device_->world);
    reader.add_reads(io);
    operations_ = io.size();
    io.run();
    PARAPET_CHECK(reader.finish(io));
    return Bytes(into.data(), into.data() + into.size());
  }
  [[nodiscard]] Bytes expected(std::uint32_t first, std::uint32_t count) const {
    const auto begin = model_.data[1].begin() + first * block_size;
    return {begin, begin + count * block_size};
  }

  TestDevice* device_ = nullptr;
  SegmentModel model_ = make_model();
  base::Prng prng_{5};
  std::size_t operations_ = 0;
};

TEST_F(ChunkReaderTest, ReadsFromHomeAndLog) {
  run([&](Chunk& chunk) {
    for (std::uint32_t first = 0; first < 16; ++first)
      for (std::uint32_t count = 1; count <= 16 - first; ++count) {
        const auto bytes = read(chunk, first, count);
        ASSERT_TRUE(good(bytes));
        EXPECT_TRUE(same_bytes(*bytes, expected(first, count))) << first << ' ' << count;
      }
  });
}

TEST_F(ChunkReaderTest, ReadsOnceWhatLiesTogether) {
  run([&](Chunk& chunk) {
    ASSERT_TRUE(read(chunk, 0, 16));
    EXPECT_EQ(operations_, 3u) << "block 2; 4 to 6; 9";
    ASSERT_TRUE(read(chunk, 4, 3));
    EXPECT_EQ(operations_, 1u);
    ASSERT_TRUE(read(chunk, 3, 1));
    EXPECT_EQ(operations_, 0u) << "it is in memory";
    ASSERT_TRUE(read(chunk, 11, 5));
    EXPECT_EQ(operations_, 0u) << "never written";
  });
}

TEST_F(ChunkReaderTest, BlocksThatWereNeverWrittenAreZerosWhateverLiesThere) {
  run([&](Chunk& chunk) {
    write_bytes(*device_, device_->home_offset(segment), Bytes(2 * block_size, 0x55));
    const auto bytes = read(chunk, 0, 2);
    ASSERT_TRUE(good(bytes));
    EXPECT_EQ(*bytes, Bytes(2 * block_size));
  });
}

TEST_F(ChunkReaderTest, ReadsAsOfAnUpdate) {
  in_world([&](simenv::SimWorld& world) {
    TestDevice device(world);
    device_ = &device;
    Chunk& chunk = device.create(model_, 1);
    std::vector<SegmentModel> versions{model_};
    for (int i = 0; i < 12; ++i) {
      ASSERT_TRUE(good(device.write(chunk, model_.update(1, 1, 4096 * prng_.below(6), 4096 * 2, prng_))));
      versions.push_back(model_);
    }
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const auto bytes = read(chunk, 0, 16, versions[i].tip[1]);
      ASSERT_TRUE(good(bytes));
      EXPECT_TRUE(same_bytes(*bytes, versions[i].data[1])) << i;
    }
    EXPECT_TRUE(same_bytes(*read(chunk, 0, 16), model_.data[1])) << "or of the newest";
    // What is given up is not read any more, and what it replaced is.
    auto record = std::make_shared<Record>();
    record->header.segment = segment;
    record->header.chain = 1;
    record->header.id = record->header.from = versions[5].tip[1];
    record->payload = SharedBytes();
    device.append(chunk, record);
    EXPECT_TRUE(same_bytes(*read(chunk, 0, 16), versions[5].data[1]));
  });
}

TEST_F(ChunkReaderTest, ARottenBlockIsCorrupt) {
  run([&](Chunk& chunk) {
    device_->disk.rot(device_->home_offset(segment) + 5 * 4096 + 17);
    const auto bytes = read(chunk, 2, 8);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::corrupt);
    EXPECT_EQ(bytes.error().values[0], segment.value);
    EXPECT_EQ(bytes.error().values[1], 1u);
    EXPECT_EQ(bytes.error().values[2], 5u);
    EXPECT_TRUE(good(read(chunk, 2, 3)));
    EXPECT_TRUE(good(read(chunk, 6, 4)));
  });
}

TEST_F(ChunkReaderTest, ABlockOfAnotherPlaceIsCorrupt) {
  run([&](Chunk& chunk) {
    const std::uint64_t home = device_->home_offset(segment);
    write_bytes(*device_, home + 4 * 4096, read_bytes(*device_, home + 5 * 4096, 4096));
    const auto bytes = read(chunk, 4, 1);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::corrupt);
  });
}

TEST_F(ChunkReaderTest, ARottenHomeUnderALoggedImageDoesNotMatter) {
  run([&](Chunk& chunk) {
    device_->disk.rot(device_->home_offset(segment) + 3 * 4096 + 17);
    EXPECT_TRUE(good(read(chunk, 0, 16)));
  });
}

TEST_F(ChunkReaderTest, AReadErrorSaysWhichBlock) {
  run([&](Chunk& chunk) {
    simenv::ScriptedFault fault{.kind = simenv::FaultKind::read_error};
    fault.begin = device_->home_offset(segment) + 9 * 4096;
    fault.end = fault.begin + 1;
    device_->disk.faults().add(fault);
    const auto bytes = read(chunk, 0, 16);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::io_failed);
    EXPECT_EQ(bytes.error().os_errno, EIO);
    EXPECT_EQ(bytes.error().values[2], 9u);
    EXPECT_TRUE(good(read(chunk, 0, 16))) << "the next time it is read";
  });
}

}  // namespace
}  // namespace parapet::store

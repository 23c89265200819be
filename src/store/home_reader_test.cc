#include "store/home_reader.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "store/store_testing.h"

namespace parapet::store {
namespace {

constexpr SegmentId segment{77};
constexpr unsigned holder = 4;

SegmentModel make_model() { return {segment, "rs(4,2)", 64 << 10}; }

/// A parity chunk with blocks 1 and 2 at home, block 3 as an image in the log, and two records in the reserve.
class HomeReaderTest : public ::testing::Test {
 protected:
  template <class Body>
  void run(const Body& body) {
    in_world([&](simenv::SimWorld& world) {
      TestDevice device(world);
      device_ = &device;
      model_ = make_model();
      Chunk& chunk = device.create(model_, holder, 32 << 10);
      write(4096, 8192);
      ASSERT_TRUE(good(device.settle()));
      write(3 * 4096, 4096);
      ASSERT_TRUE(good(device.move(TestDevice::fold_all)));
      home_ = model_.content(holder);
      for (int i = 0; i < 2; ++i) reserve();
      write(0, 100);
      body(chunk);
    });
  }
  void write(std::uint64_t offset, std::size_t length) {
    ASSERT_TRUE(good(device_->write(device_->chunk_of(model_), model_.update(holder, 2, offset, length, prng_))));
  }
  void reserve() {
    write(5000, 200);
    ASSERT_TRUE(good(device_->move(TestDevice::reserve_all)));
  }
  [[nodiscard]] std::uint64_t reserve_at() {
    return device_->home_offset(segment) + reserve_offset(device_->chunk_of(model_).shape);
  }

  Result<Bytes> read(Chunk& chunk, const std::vector<std::uint32_t>& blocks, bool with_reserve) {
    env::IoBatch io(device_->world);
    HomeReader reader(*device_->store, chunk, blocks, with_reserve, io);
    io.run();
    PARAPET_CHECK(reader.finish(io));
    Bytes bytes;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      bytes.insert(bytes.end(), reader.block(i), reader.block(i) + block_size);
    reserve_ = reader.reserve();
    return bytes;
  }
  Result<void> read_reserve(Chunk& chunk) {
    PARAPET_TRY(const Bytes none, read(chunk, {}, true));
    EXPECT_TRUE(none.empty());
    return {};
  }
  void expect_corrupt(const Result<void>& outcome) {
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::corrupt) << outcome.error().message();
    EXPECT_EQ(outcome.error().values[0], segment.value);
    EXPECT_EQ(outcome.error().values[1], holder);
  }

  TestDevice* device_ = nullptr;
  SegmentModel model_ = make_model();
  Bytes home_;
  base::Prng prng_{5};
  std::vector<layout::ReserveRecord> reserve_;
};

TEST_F(HomeReaderTest, ReadsTheHomeAsTheTagHasIt) {
  run([&](Chunk& chunk) {
    std::vector<std::uint32_t> all(16);
    for (std::uint32_t block = 0; block < 16; ++block) all[block] = block;
    const auto bytes = read(chunk, all, false);
    ASSERT_TRUE(good(bytes));
    EXPECT_TRUE(same_bytes(*bytes, home_)) << "without reserve and log";
    EXPECT_TRUE(reserve_.empty());
    const auto some = read(chunk, {1, 3, 15}, false);
    Bytes expected;
    for (std::size_t block : {1, 3, 15})
      expected.insert(expected.end(), home_.begin() + block * block_size, home_.begin() + (block + 1) * block_size);
    EXPECT_TRUE(same_bytes(*some, expected));
  });
}

TEST_F(HomeReaderTest, BlocksThatWereNeverWrittenAreZerosWhateverLiesThere) {
  run([&](Chunk& chunk) {
    write_bytes(*device_, device_->home_offset(segment) + 8 * 4096, Bytes(block_size, 0x55));
    EXPECT_EQ(*read(chunk, {8}, false), Bytes(block_size));
  });
}

TEST_F(HomeReaderTest, ReadsTheRecordsOfTheReserve) {
  run([&](Chunk& chunk) {
    ASSERT_TRUE(good(read_reserve(chunk)));
    ASSERT_EQ(reserve_.size(), 2u);
    EXPECT_EQ(reserve_[0].from, chunk.tag.home);
    EXPECT_EQ(reserve_[0].last, reserve_[1].from);
    EXPECT_EQ(reserve_[1].last, chunk.tag.reserved);
    ASSERT_EQ(reserve_[1].deltas.size(), 1u);
    EXPECT_EQ(reserve_[1].deltas[0].chain, 2u);
    EXPECT_EQ(reserve_[1].deltas[0].offset, 5000u);
    EXPECT_EQ(reserve_[1].deltas[0].bytes.size(), 200u);
  });
}

TEST_F(HomeReaderTest, ARottenBlockIsCorrupt) {
  run([&](Chunk& chunk) {
    device_->disk.rot(device_->home_offset(segment) + 2 * 4096 + 5);
    const auto bytes = read(chunk, {1, 2, 3}, true);
    ASSERT_FALSE(bytes);
    EXPECT_EQ(bytes.error().code, ErrorCode::corrupt);
    EXPECT_EQ(bytes.error().values[2], 2u);
    EXPECT_TRUE(good(read(chunk, {1, 3}, true)));
  });
}

TEST_F(HomeReaderTest, ARottenHomeUnderAnImageInTheLogDoesNotMatter) {
  run([&](Chunk& chunk) {
    write_bytes(*device_, device_->home_offset(segment) + 3 * 4096, Bytes(block_size, 0x55));
    EXPECT_TRUE(good(read(chunk, {3}, false)));
  });
}

TEST_F(HomeReaderTest, AReadErrorIsAnError) {
  for (const bool of_reserve : {false, true}) {
    run([&](Chunk& chunk) {
      simenv::ScriptedFault fault{.kind = simenv::FaultKind::read_error};
      fault.begin = of_reserve ? reserve_at() : device_->home_offset(segment) + 2 * 4096;
      fault.end = fault.begin + 1;
      device_->disk.faults().add(fault);
      const auto bytes = read(chunk, {1, 2, 3}, true);
      ASSERT_FALSE(bytes);
      EXPECT_EQ(bytes.error().code, ErrorCode::io_failed);
      EXPECT_EQ(bytes.error().os_errno, EIO);
    });
  }
}

TEST_F(HomeReaderTest, ARottenReserveIsCorrupt) {
  run([&](Chunk& chunk) {
    const auto intact = device_->disk.durable();
    for (std::uint64_t at = 0; at < 2 * block_size; at += 331) {
      device_->disk.restore(intact);
      device_->disk.rot(reserve_at() + at);
      expect_corrupt(read_reserve(chunk));
    }
  });
}

// A write of the reserve was lost; in its place lies a record of an earlier reserve, intact and of this position.
TEST_F(HomeReaderTest, ARecordOfAnEarlierReserveIsCorrupt) {
  run([&](Chunk& chunk) {
    const Bytes earlier = read_bytes(*device_, reserve_at(), 2 * block_size);
    ASSERT_TRUE(good(device_->settle()));
    ASSERT_EQ(chunk.tag.reserve_used, 0u);
    reserve();
    reserve();
    EXPECT_TRUE(good(read_reserve(chunk)));
    for (const std::size_t place : {0, 1}) {
      const Bytes right = read_bytes(*device_, reserve_at() + place * block_size, block_size);
      const auto begin = earlier.begin() + place * block_size;
      write_bytes(*device_, reserve_at() + place * block_size, {begin, begin + block_size});
      expect_corrupt(read_reserve(chunk));
      write_bytes(*device_, reserve_at() + place * block_size, right);
    }
    EXPECT_TRUE(good(read_reserve(chunk)));
  });
}

// A pass that was given up left its record; the write of the next one, which goes further, was lost.
TEST_F(HomeReaderTest, ARecordThatDoesNotGoFarEnoughIsCorrupt) {
  run([&](Chunk& chunk) {
    const std::uint64_t place = reserve_at() + chunk.tag.reserve_used;
    {
      Mover given_up(*device_->store, TestDevice::reserve_all);
      ASSERT_TRUE(good(given_up.write()));
    }
    const Bytes earlier = read_bytes(*device_, place, block_size);
    write(0, 100);
    ASSERT_TRUE(good(device_->move(TestDevice::reserve_all)));
    EXPECT_TRUE(good(read_reserve(chunk)));
    write_bytes(*device_, place, earlier);
    expect_corrupt(read_reserve(chunk));
  });
}

// What lies behind the used part is nobody's business.
TEST_F(HomeReaderTest, OldRecordsBehindTheUsedPartAreNotRead) {
  run([&](Chunk& chunk) {
    ASSERT_TRUE(good(device_->settle()));
    reserve();
    ASSERT_EQ(chunk.tag.reserve_used, block_size);
    ASSERT_TRUE(good(read_reserve(chunk)));
    EXPECT_EQ(reserve_.size(), 1u);
  });
}

TEST_F(HomeReaderTest, ARecordOfAnotherChunkIsCorrupt) {
  run([&](Chunk& chunk) {
    layout::ReserveRecord foreign;
    foreign.segment = segment;
    foreign.chunk = holder + 1;
    foreign.from = chunk.tag.home;
    foreign.last = chunk.tag.reserved;
    Bytes bytes(layout::reserve_record_size(foreign));
    layout::encode_reserve_record(foreign, bytes);
    write_bytes(*device_, reserve_at(), bytes);
    expect_corrupt(read_reserve(chunk));
  });
}

}  // namespace
}  // namespace parapet::store

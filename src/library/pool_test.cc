// What a pool does when all is well, and when devices are lost.
#include "parapet/pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>

#include "library/pool_testing.h"

namespace parapet::library {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(PoolTest, KeepsWhatIsWrittenOverReopening) {
  const ScratchPool scratch;
  const Bytes content = random_bytes(1, 100'000);
  SegmentId written, zeros;
  {
    Pool pool = Pool::open(scratch.paths).value();
    EXPECT_EQ(pool.segment_size(), 128u << 10);
    written = pool.write_segment({content.data(), content.size()}).value();
    zeros = pool.allocate().value();
    EXPECT_NE(written, zeros);
    EXPECT_EQ(pool.size_of(zeros).value(), pool.segment_size());
    ASSERT_TRUE(pool.write(zeros, 70'000, {content.data(), 5'000}).has_value());
    ASSERT_TRUE(pool.close().has_value());
  }
  Pool pool = Pool::open(scratch.paths).value();
  EXPECT_EQ(pool.segments(), (std::vector{written, zeros}));
  Bytes expected = content;
  expected.resize(pool.segment_size());
  EXPECT_EQ(read_all(pool, written), expected);
  Bytes overwritten(pool.segment_size());
  std::copy(content.begin(), content.begin() + 5'000, overwritten.begin() + 70'000);
  EXPECT_EQ(read_all(pool, zeros), overwritten);
  ASSERT_TRUE(pool.remove(written).has_value());
  EXPECT_EQ(pool.segments(), std::vector{zeros});
  EXPECT_EQ(pool.size_of(written).error().code, ErrorCode::not_found);
}

TEST(PoolTest, TakesDevicesInAnyOrder) {
  ScratchPool scratch;
  const Bytes content = random_bytes(2, 50'000);
  const SegmentId segment = Pool::open(scratch.paths).value().write_segment({content.data(), content.size()}).value();
  std::vector<std::string> turned = scratch.paths;
  std::ranges::reverse(turned);
  Pool pool = Pool::open(turned).value();
  const PoolStatus status = pool.status();
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(status.devices[i].directory, scratch.paths[i]);
    EXPECT_EQ(status.devices[i].state, DeviceState::in);
  }
  EXPECT_EQ(read_front(pool, segment, content.size()), content);
}

TEST(PoolTest, ServesWithoutADeviceAndTakesItBack) {
  ScratchPool scratch;
  const Bytes content = random_bytes(3, 128 << 10), change = random_bytes(4, 4096);
  const SegmentId segment = Pool::open(scratch.paths).value().write_segment({content.data(), content.size()}).value();
  Bytes expected = content;
  std::ranges::copy(change, expected.begin() + 8192);
  const std::vector<std::string> left(scratch.paths.begin() + 1, scratch.paths.end());
  {
    Pool pool = Pool::open(left).value();
    EXPECT_EQ(pool.status().devices[0].state, DeviceState::absent);
    EXPECT_EQ(pool.status().devices[0].directory, "");
    EXPECT_EQ(read_all(pool, segment), content);
    ASSERT_TRUE(pool.write(segment, 8192, {change.data(), change.size()}).has_value());
    ASSERT_TRUE(pool.flush().has_value());
  }
  Pool pool = Pool::open(scratch.paths).value();
  EXPECT_EQ(pool.status().devices[0].state, DeviceState::out);
  ASSERT_TRUE(pool.restore(0).has_value());
  EXPECT_EQ(pool.status().devices[0].state, DeviceState::in);
  ASSERT_TRUE(pool.put_out(1).has_value());
  EXPECT_EQ(pool.status().devices[1].state, DeviceState::out);
  EXPECT_EQ(read_all(pool, segment), expected);
  EXPECT_EQ(pool.put_out(1).error().code, ErrorCode::invalid_argument) << "it is out";
  EXPECT_EQ(pool.put_out(2).error().message(), "put out: without device 2 fewer than 3 would be left");
  ASSERT_TRUE(pool.write(segment, 0, {change.data(), change.size()}).has_value());
  ASSERT_TRUE(pool.close().has_value());
}

TEST(PoolTest, SegmentsThatLackDevicesWaitForThem) {
  PoolCreateOptions options = small_pool();
  options.code = "rs(3,1)";
  const ScratchPool scratch(7, options);
  std::map<SegmentId, Bytes> contents;
  {
    Pool pool = Pool::open(scratch.paths).value();
    for (std::uint64_t seed = 0; seed < 7; ++seed) {
      const Bytes content = random_bytes(seed, 192 << 10), change = random_bytes(seed + 100, 4096);
      const SegmentId segment = pool.write_segment({content.data(), content.size()}).value();
      ASSERT_TRUE(pool.write(segment, 4096, {change.data(), change.size()}).has_value());
      contents[segment] = content;
      std::ranges::copy(change, contents[segment].begin() + 4096);
    }
    ASSERT_TRUE(pool.close().has_value());
  }
  {
    Pool pool = Pool::open(std::vector(scratch.paths.begin() + 3, scratch.paths.end())).value();
    EXPECT_EQ(pool.segments().size(), 7u);
    std::size_t waiting = 0;
    for (const auto& [segment, content] : contents) {
      Bytes bytes(content.size());
      const auto read = pool.read(segment, 0, {bytes.data(), bytes.size()});
      if (read) {
        EXPECT_EQ(bytes, content);
        continue;
      }
      ++waiting;
      EXPECT_EQ(read.error().code, ErrorCode::too_many_losses) << read.error().message();
      EXPECT_EQ(pool.write(segment, 0, {bytes.data(), 1}).error().code, ErrorCode::too_many_losses);
      EXPECT_EQ(pool.size_of(segment).error().code, ErrorCode::too_many_losses);
      EXPECT_EQ(pool.scrub(segment).error().code, ErrorCode::too_many_losses);
    }
    EXPECT_GT(waiting, 0u);
    const auto closed = pool.status().closed;
    EXPECT_LE(closed.size(), waiting);
    EXPECT_TRUE(std::ranges::all_of(closed, [&](SegmentId segment) { return contents.contains(segment); }));
  }
  Pool pool = Pool::open(scratch.paths).value();
  for (const auto& [segment, content] : contents) EXPECT_EQ(read_all(pool, segment), content);
  const PoolStatus status = pool.status();
  for (unsigned device = 0; device < 7; ++device) {
    if (status.devices[device].state == DeviceState::in) continue;
    EXPECT_TRUE(pool.restore(device).has_value());
  }
  for (const DeviceStatus& device : pool.status().devices) EXPECT_EQ(device.state, DeviceState::in);
  for (const auto& [segment, content] : contents) EXPECT_EQ(read_all(pool, segment), content);
}

TEST(PoolTest, FindsAndMendsDamage) {
  const ScratchPool scratch;
  const Bytes content = random_bytes(5, 128 << 10);
  const SegmentId segment = Pool::open(scratch.paths).value().write_segment({content.data(), content.size()}).value();
  // Every block that looks like the first 4096 bytes of the content: its home in one of the devices.
  unsigned rotten = 0;
  for (unsigned device = 0; device < 4; ++device) {
    std::fstream file(scratch.file(device), std::ios::in | std::ios::out | std::ios::binary);
    Bytes block(4096);
    for (std::streamoff offset = 0; file.seekg(offset) && file.read(reinterpret_cast<char*>(block.data()), 4096);
         offset += 4096) {
      if (!std::equal(block.begin(), block.end(), content.begin())) continue;
      file.seekp(offset + 100);
      file.put(static_cast<char>(~block[100]));
      file.flush();
      ++rotten;
    }
  }
  ASSERT_EQ(rotten, 1u);
  Pool pool = Pool::open(scratch.paths).value();
  EXPECT_EQ(pool.scrub(segment).value(), ChunkSet{0});
  ASSERT_TRUE(pool.repair().has_value());
  EXPECT_EQ(pool.scrub(segment).value(), ChunkSet{});
  EXPECT_EQ(read_all(pool, segment), content);
}

TEST(PoolTest, TellsHowItsSpaceIsUsed) {
  const ScratchPool scratch;
  Pool pool = Pool::open(scratch.paths).value();
  const DeviceStatus before = pool.status().devices[0];
  EXPECT_EQ(before.log_size, 1u << 20);
  EXPECT_EQ(before.used, 0u);
  EXPECT_GT(before.free, 6u << 20);
  EXPECT_LT(before.free, 7u << 20);
  ASSERT_TRUE(pool.allocate().has_value());
  const DeviceStatus after = pool.status().devices[0];
  EXPECT_GE(after.used, 64u << 10);
  EXPECT_EQ(after.free + after.used, before.free);
  EXPECT_GT(after.log_used, before.log_used);
}

TEST(PoolTest, RefusesWorkWhenItIsClosed) {
  const ScratchPool scratch;
  Pool pool = Pool::open(scratch.paths).value();
  const SegmentId segment = pool.allocate().value();
  Pool* const left = &pool;
  Pool moved = std::move(pool);
  EXPECT_EQ(moved.segments(), std::vector{segment});
  ASSERT_TRUE(moved.close().has_value());
  std::uint8_t byte = 0;
  for (Pool* closed : {left, &moved}) {
    EXPECT_EQ(closed->allocate().error().message(), "allocate: the pool is closed");
    EXPECT_EQ(closed->write_segment({&byte, 1}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->size_of(segment).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->write(segment, 0, {&byte, 1}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->read(segment, 0, {&byte, 1}).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->flush().error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->remove(segment).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->restore(0).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->put_out(0).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->repair().error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->scrub(segment).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->close().error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(closed->segment_size(), 0u);
    EXPECT_TRUE(closed->segments().empty());
    EXPECT_TRUE(closed->status().devices.empty());
  }
  EXPECT_TRUE(Pool::open(scratch.paths).has_value()) << "its devices are free again";
}

TEST(PoolTest, RefusesWrongCallsBeforeAnythingHappens) {
  const ScratchPool scratch;
  Pool pool = Pool::open(scratch.paths).value();
  const Bytes content = random_bytes(6, 128 << 10);
  const SegmentId segment = pool.write_segment({content.data(), content.size()}).value();
  Bytes buffer(8192, 0x55);
  const Memory device{MemoryKind::device, 0};
  EXPECT_EQ(pool.write(segment, 0, {buffer.data(), 1, device}).error().message(),
            "write: the bytes are in device memory; copy them to the host first");
  EXPECT_EQ(pool.read(segment, 0, {buffer.data(), 1, device}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(pool.write_segment({buffer.data(), 1, device}).error().code, ErrorCode::unsupported);
  EXPECT_EQ(pool.write(segment, 0, {nullptr, 1}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(pool.read(segment, 0, {nullptr, 1}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(pool.write_segment({nullptr, 0}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(pool.write_segment({content.data(), content.size() + 1}).error().code, ErrorCode::invalid_argument);
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  for (const std::uint64_t offset : {std::uint64_t{content.size()}, huge, ~std::uint64_t{0}}) {
    EXPECT_EQ(pool.write(segment, offset, {buffer.data(), 1}).error().code, ErrorCode::invalid_argument) << offset;
    EXPECT_EQ(pool.read(segment, offset, {buffer.data(), 1}).error().code, ErrorCode::invalid_argument) << offset;
  }
  EXPECT_EQ(pool.write(segment, content.size() - 1, {buffer.data(), 2}).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(pool.read(segment, 1, {buffer.data(), ~std::size_t{0}}).error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(pool.write(segment, content.size(), {nullptr, 0}).has_value());
  EXPECT_TRUE(pool.read(segment, content.size(), {nullptr, 0}).has_value());
  for (const SegmentId unknown : {SegmentId{0}, SegmentId{segment.value + 1}, SegmentId{~std::uint64_t{0}}}) {
    EXPECT_EQ(pool.write(unknown, 0, {buffer.data(), 1}).error().code, ErrorCode::not_found);
    EXPECT_EQ(pool.read(unknown, 0, {buffer.data(), 1}).error().code, ErrorCode::not_found);
    EXPECT_EQ(pool.size_of(unknown).error().code, ErrorCode::not_found);
    EXPECT_EQ(pool.remove(unknown).error().code, ErrorCode::not_found);
    EXPECT_EQ(pool.scrub(unknown).error().code, ErrorCode::not_found);
  }
  for (const unsigned wrong : {4u, ~0u}) {
    EXPECT_EQ(pool.restore(wrong).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(pool.put_out(wrong).error().code, ErrorCode::invalid_argument);
  }
  EXPECT_EQ(pool.restore(0).error().code, ErrorCode::invalid_argument) << "it is in";
  EXPECT_TRUE(std::ranges::all_of(buffer, [](std::uint8_t byte) { return byte == 0x55; }));
  EXPECT_EQ(pool.segments(), std::vector{segment});
  EXPECT_EQ(read_all(pool, segment), content);
}

TEST(PoolTest, EverySchemeIsTaken) {
  for (const UpdateScheme scheme : {UpdateScheme::full_overwrite, UpdateScheme::full_logging,
                                    UpdateScheme::parity_logging, UpdateScheme::parity_logging_reserved}) {
    PoolCreateOptions options = small_pool();
    options.scheme = scheme;
    const ScratchPool scratch(4, options);
    const Bytes content = random_bytes(7, 40'000);
    Pool pool = Pool::open(scratch.paths).value();
    const SegmentId segment = pool.allocate().value();
    ASSERT_TRUE(pool.write(segment, 0, {content.data(), content.size()}).has_value());
    ASSERT_TRUE(pool.close().has_value());
    Pool again = Pool::open(scratch.paths).value();
    EXPECT_EQ(read_front(again, segment, content.size()), content);
  }
}

}  // namespace
}  // namespace parapet::library

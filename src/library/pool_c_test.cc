#include "parapet/pool_c.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <limits>

#include "library/pool_testing.h"

namespace parapet::library {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::size_t chunks_max = 64;

struct PoolCTest : ::testing::Test {
  PoolCTest() {
    for (const std::string& path : devices.paths) directories.push_back(path.c_str());
    options.code = "rs(2,2)";
    options.chunk_size = 64 << 10;
    options.log_size = 1 << 20;
    options.device_size = 8 << 20;
    options.allow_shared_disk = 1;
  }
  ~PoolCTest() override { parapet_pool_close(pool, nullptr); }

  int create() { return parapet_pool_create(directories.data(), directories.size(), &options, &error); }
  int open(std::size_t count = 4) {
    return parapet_pool_open(directories.data() + (4 - count), count, nullptr, &pool, &error);
  }
  int close() { return parapet_pool_close(std::exchange(pool, nullptr), &error); }

  ScratchDevices devices{4};
  std::vector<const char*> directories;
  parapet_pool_create_options options = parapet_pool_default_create_options();
  parapet_pool* pool = nullptr;
  parapet_error error{};
};

parapet_const_region source(const Bytes& bytes) { return {bytes.data(), bytes.size(), 0, 0}; }
parapet_region target(Bytes& bytes) { return {bytes.data(), bytes.size(), 0, 0}; }

TEST_F(PoolCTest, DefaultsAreThoseOfCpp) {
  const auto create_options = parapet_pool_default_create_options();
  EXPECT_STREQ(create_options.code, "rs(4,2)");
  EXPECT_EQ(create_options.chunk_size, 1u << 20);
  EXPECT_EQ(create_options.scheme, PARAPET_SCHEME_PARITY_LOGGING_RESERVED);
  EXPECT_EQ(create_options.log_size, 64u << 20);
  EXPECT_EQ(create_options.device_size, 0u);
  EXPECT_EQ(create_options.allow_shared_disk, 0);
  const auto open_options = parapet_pool_default_open_options();
  EXPECT_EQ(open_options.commit_interval_ms, 5000u);
  EXPECT_EQ(open_options.commit_size, 64u << 20);
}

TEST_F(PoolCTest, DoesEverything) {
  ASSERT_EQ(create(), PARAPET_OK) << error.message;
  ASSERT_EQ(open(), PARAPET_OK) << error.message;
  EXPECT_EQ(parapet_pool_segment_size(pool), 128u << 10);
  const Bytes content = random_bytes(1, 128 << 10), change = random_bytes(2, 5000);
  std::uint64_t zeros = 0, written = 0, size = 0;
  ASSERT_EQ(parapet_pool_allocate(pool, &zeros, &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_write_segment(pool, source(content), &written, &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_size_of(pool, written, &size, &error), PARAPET_OK);
  EXPECT_EQ(size, 128u << 10);
  ASSERT_EQ(parapet_pool_write(pool, written, 3000, source(change), &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_flush(pool, &error), PARAPET_OK);
  Bytes expected = content, read(content.size());
  std::ranges::copy(change, expected.begin() + 3000);
  ASSERT_EQ(parapet_pool_read(pool, written, 0, target(read), &error), PARAPET_OK);
  EXPECT_EQ(read, expected);

  std::uint64_t ids[2] = {};
  std::size_t count = 0;
  ASSERT_EQ(parapet_pool_segments(pool, ids, 1, &count, &error), PARAPET_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(ids[0], zeros);
  EXPECT_EQ(ids[1], 0u) << "there was no room for it";
  ASSERT_EQ(parapet_pool_segments(pool, ids, 2, &count, &error), PARAPET_OK);
  EXPECT_EQ(ids[1], written);
  ASSERT_EQ(parapet_pool_remove(pool, zeros, &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_segments(pool, nullptr, 0, &count, &error), PARAPET_OK);
  EXPECT_EQ(count, 1u);

  unsigned damaged[chunks_max];
  ASSERT_EQ(parapet_pool_scrub(pool, written, damaged, chunks_max, &count, &error), PARAPET_OK);
  EXPECT_EQ(count, 0u);
  ASSERT_EQ(parapet_pool_repair(pool, &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_put_out(pool, 0, &error), PARAPET_OK);
  ASSERT_EQ(parapet_pool_read(pool, written, 0, target(read), &error), PARAPET_OK);
  EXPECT_EQ(read, expected);
  ASSERT_EQ(parapet_pool_write(pool, written, 0, source(change), &error), PARAPET_OK);
  ASSERT_EQ(close(), PARAPET_OK);
  ASSERT_EQ(open(), PARAPET_OK) << error.message;
  ASSERT_EQ(parapet_pool_restore(pool, 0, &error), PARAPET_OK) << error.message;
  EXPECT_EQ(error.code, PARAPET_OK);
  EXPECT_STREQ(error.message, "");
}

TEST_F(PoolCTest, TellsItsStatus) {
  ASSERT_EQ(create(), PARAPET_OK);
  std::filesystem::resize_file(devices.file(3), 1 << 20);
  ASSERT_EQ(open(), PARAPET_OK) << error.message;
  parapet_pool_status* status = nullptr;
  ASSERT_EQ(parapet_pool_get_status(pool, &status, &error), PARAPET_OK);
  ASSERT_EQ(close(), PARAPET_OK);
  std::size_t count = 0;
  const parapet_device_status* const found = parapet_pool_status_devices(status, &count);
  ASSERT_EQ(count, 4u);
  EXPECT_STREQ(found[1].directory, directories[1]);
  EXPECT_EQ(found[1].state, PARAPET_DEVICE_IN);
  EXPECT_EQ(found[1].log_size, 1u << 20);
  EXPECT_GT(found[1].free, 6u << 20);
  EXPECT_EQ(found[3].state, PARAPET_DEVICE_ABSENT);
  EXPECT_STREQ(found[3].directory, "");
  const parapet_unusable_device* const unusable = parapet_pool_status_unusable(status, &count);
  ASSERT_EQ(count, 1u);
  EXPECT_STREQ(unusable[0].directory, directories[3]);
  EXPECT_STREQ(unusable[0].reason, "device: it has 1048576 bytes, and had 8388608 when it was made");
  parapet_pool_status_closed(status, &count);
  EXPECT_EQ(count, 0u);
  parapet_pool_status_damaged_logs(status, &count);
  EXPECT_EQ(count, 0u);
  parapet_pool_status_free(status);
  parapet_pool_status_free(nullptr);
  count = 7;
  EXPECT_EQ(parapet_pool_status_devices(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(parapet_pool_status_devices(nullptr, nullptr), nullptr);
}

TEST_F(PoolCTest, NamesTheDirectoryInItsErrors) {
  EXPECT_EQ(open(), PARAPET_NOT_FOUND);
  EXPECT_EQ(error.code, PARAPET_NOT_FOUND);
  EXPECT_EQ(error.os_errno, ENOENT);
  EXPECT_EQ(std::string(error.message).find(devices.paths[0] + ": "), 0u) << error.message;
  EXPECT_EQ(pool, nullptr);
  options.allow_shared_disk = 0;
  EXPECT_EQ(create(), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message).find(devices.paths[0] + " and " + devices.paths[1]), 0u) << error.message;
}

TEST_F(PoolCTest, RefusesNull) {
  EXPECT_EQ(parapet_pool_create(nullptr, 4, &options, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_create(nullptr, 0, &options, nullptr), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_create(directories.data(), 4, nullptr, nullptr), PARAPET_INVALID_ARGUMENT) << "no size";
  directories[2] = nullptr;
  EXPECT_EQ(create(), PARAPET_INVALID_ARGUMENT);
  directories[2] = devices.paths[2].c_str();
  options.code = nullptr;
  EXPECT_EQ(create(), PARAPET_INVALID_ARGUMENT);
  options.code = "rs(2,2)";
  ASSERT_EQ(create(), PARAPET_OK);
  EXPECT_EQ(parapet_pool_open(directories.data(), 4, nullptr, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_open(directories.data(), std::numeric_limits<std::size_t>::max(), nullptr, &pool, &error),
            PARAPET_INVALID_ARGUMENT);
  ASSERT_EQ(open(), PARAPET_OK);

  Bytes bytes(10);
  unsigned damaged[chunks_max];
  std::size_t count = 0;
  std::uint64_t segment = 0;
  parapet_pool_status* status = nullptr;
  EXPECT_EQ(parapet_pool_allocate(nullptr, &segment, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "allocate: a required pointer is null");
  EXPECT_EQ(parapet_pool_allocate(pool, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_write_segment(nullptr, source(bytes), &segment, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_write_segment(pool, source(bytes), nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_write_segment(pool, {nullptr, 5, 0, 0}, &segment, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_size_of(nullptr, 1, &segment, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_size_of(pool, 1, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_write(nullptr, 1, 0, source(bytes), &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_read(nullptr, 1, 0, target(bytes), &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_flush(nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_remove(nullptr, 1, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_segments(nullptr, nullptr, 0, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_segments(pool, nullptr, 0, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_segments(pool, nullptr, 1, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_restore(nullptr, 0, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_put_out(nullptr, 0, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_repair(nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_scrub(nullptr, 1, damaged, chunks_max, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_scrub(pool, 1, damaged, chunks_max - 1, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_scrub(pool, 1, nullptr, chunks_max, &count, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_scrub(pool, 1, damaged, chunks_max, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_get_status(nullptr, &status, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_get_status(pool, nullptr, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(parapet_pool_segment_size(nullptr), 0u);
  EXPECT_EQ(parapet_pool_close(nullptr, &error), PARAPET_OK);
}

TEST_F(PoolCTest, RefusesWrongValues) {
  for (const int scheme : {-1, 4}) {
    options.scheme = scheme;
    EXPECT_EQ(create(), PARAPET_INVALID_ARGUMENT);
  }
  options.scheme = PARAPET_SCHEME_FULL_OVERWRITE;
  ASSERT_EQ(create(), PARAPET_OK);
  for (const std::uint64_t interval : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
    const parapet_pool_open_options open_options{interval, 1};
    EXPECT_EQ(parapet_pool_open(directories.data(), 4, &open_options, &pool, &error), PARAPET_INVALID_ARGUMENT);
  }
  EXPECT_EQ(open(2), PARAPET_TOO_MANY_LOSSES);
  ASSERT_EQ(open(), PARAPET_OK);
  std::uint64_t segment = 0;
  ASSERT_EQ(parapet_pool_allocate(pool, &segment, &error), PARAPET_OK);
  Bytes bytes(10, 0x55);
  parapet_region device = target(bytes);
  device.memory_kind = PARAPET_MEMORY_DEVICE;
  EXPECT_EQ(parapet_pool_read(pool, segment, 0, device, &error), PARAPET_UNSUPPORTED);
  const parapet_const_region wrong{device.data, device.size, PARAPET_MEMORY_DEVICE, 3};
  EXPECT_EQ(parapet_pool_write(pool, segment, 0, wrong, &error), PARAPET_UNSUPPORTED);
  std::uint64_t other = 17;
  EXPECT_EQ(parapet_pool_write_segment(pool, wrong, &other, &error), PARAPET_UNSUPPORTED);
  EXPECT_EQ(other, 17u);
  device.memory_kind = 2;
  EXPECT_EQ(parapet_pool_read(pool, segment, 0, device, &error), PARAPET_INVALID_ARGUMENT);
  EXPECT_EQ(bytes, Bytes(10, 0x55));
  EXPECT_EQ(parapet_pool_write(pool, segment + 1, 0, source(bytes), &error), PARAPET_NOT_FOUND);
}

}  // namespace
}  // namespace parapet::library

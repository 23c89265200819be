#include "os/device_directory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>

#include "env/io_batch.h"
#include "os/scratch_directory.h"

namespace parapet::os {
namespace {

namespace fs = std::filesystem;
using env::io_alignment;

constexpr std::uint64_t size = 16 * io_alignment;

class DeviceDirectoryTest : public ::testing::Test {
 protected:
  ErrorCode open_error(const std::string& path) {
    const auto opened = DeviceDirectory::open(world_, path);
    EXPECT_FALSE(opened.has_value()) << path;
    return opened.has_value() ? ErrorCode{} : opened.error().code;
  }
  static ErrorCode create_error(const std::string& path, std::uint64_t wanted = size) {
    const auto created = DeviceDirectory::create(path, wanted);
    EXPECT_FALSE(created.has_value()) << path;
    return created.has_value() ? ErrorCode{} : created.error().code;
  }

  RealWorld world_;
  ScratchDirectory scratch_;
};

TEST_F(DeviceDirectoryTest, HoldsADiskOfTheSizeThatWasAskedFor) {
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "d", size).has_value());
  EXPECT_EQ(fs::file_size(scratch_ / "d/device"), size);
  const auto device = DeviceDirectory::open(world_, scratch_ / "d").value();
  EXPECT_EQ(device.disk().size(), size);
  const env::IoBuffer into(size);
  std::ranges::fill(into.span(), std::uint8_t{1});
  env::IoBatch batch(world_);
  batch.read(device.disk(), 0, into);
  batch.run();
  EXPECT_TRUE(batch.first_error().has_value());
  EXPECT_TRUE(std::ranges::all_of(into.span(), [](std::uint8_t byte) { return byte == 0; }));
}

TEST_F(DeviceDirectoryTest, ItsSpaceIsAllocated) {
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "d", 1 << 20).has_value());
  struct stat status {};
  ASSERT_EQ(::stat((scratch_ / "d/device").c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, 1 << 20);
}

TEST_F(DeviceDirectoryTest, IsMadeInAnEmptyDirectoryToo) {
  fs::create_directory(scratch_ / "empty");
  EXPECT_TRUE(DeviceDirectory::create(scratch_ / "empty", size).has_value());
  fs::create_directories(scratch_ / "root/lost+found");
  EXPECT_TRUE(DeviceDirectory::create(scratch_ / "root", size).has_value());
  EXPECT_TRUE(DeviceDirectory::open(world_, scratch_ / "root").has_value());
}

TEST_F(DeviceDirectoryTest, ReplacesNothing) {
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "d", size).has_value());
  EXPECT_EQ(create_error(scratch_ / "d", 2 * size), ErrorCode::already_exists);
  EXPECT_EQ(fs::file_size(scratch_ / "d/device"), size);
  fs::create_directory(scratch_ / "full");
  make_file(scratch_ / "full/letter", 5);
  EXPECT_EQ(create_error(scratch_ / "full"), ErrorCode::already_exists);
  EXPECT_FALSE(fs::exists(scratch_ / "full/device"));
  make_file(scratch_ / "file", 5);
  EXPECT_EQ(create_error(scratch_ / "file"), ErrorCode::io_failed);
}

TEST_F(DeviceDirectoryTest, ALinkToAFileIsNoRawDevice) {
  fs::create_directory(scratch_ / "linked");
  make_file(scratch_ / "file", size);
  fs::create_symlink(scratch_ / "file", scratch_ / "linked/device");
  EXPECT_EQ(create_error(scratch_ / "linked"), ErrorCode::already_exists);
}

TEST_F(DeviceDirectoryTest, RefusesSizesThatAreNotWholeBlocks) {
  EXPECT_EQ(create_error(scratch_ / "d", 0), ErrorCode::invalid_argument);
  EXPECT_EQ(create_error(scratch_ / "d", io_alignment + 512), ErrorCode::invalid_argument);
  EXPECT_FALSE(fs::exists(scratch_ / "d"));
}

TEST_F(DeviceDirectoryTest, AMissingParentIsNotFound) {
  EXPECT_EQ(create_error(scratch_ / "missing/d"), ErrorCode::not_found);
}

TEST_F(DeviceDirectoryTest, LeavesNothingWhenThereIsNoSpace) {
  struct statvfs space {};
  const bool limited = is_tmpfs(memory_directory) && ::statvfs(memory_directory, &space) == 0 && space.f_blocks > 0;
  if (!limited) GTEST_SKIP() << memory_directory << " is not a file system in memory with a limit";
  const ScratchDirectory small(memory_directory);
  const std::uint64_t too_much = (space.f_blocks * space.f_frsize / io_alignment + 1) * io_alignment;
  EXPECT_EQ(create_error(small / "d", too_much), ErrorCode::no_space);
  EXPECT_FALSE(fs::exists(small / "d"));
  fs::create_directory(small / "empty");
  EXPECT_EQ(create_error(small / "empty", too_much), ErrorCode::no_space);
  EXPECT_TRUE(fs::is_empty(small / "empty"));
}

TEST_F(DeviceDirectoryTest, NobodyElseMayOpenItUntilItIsDestroyed) {
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "d", size).has_value());
  {
    const auto device = DeviceDirectory::open(world_, scratch_ / "d").value();
    const auto second = DeviceDirectory::open(world_, scratch_ / "d");
    ASSERT_FALSE(second.has_value());
    EXPECT_EQ(second.error().code, ErrorCode::io_failed);
    EXPECT_EQ(second.error().os_errno, EWOULDBLOCK);
    EXPECT_STREQ(second.error().reason, "another process has the pool open");
  }
  EXPECT_TRUE(DeviceDirectory::open(world_, scratch_ / "d").has_value());
}

TEST_F(DeviceDirectoryTest, SaysWhatIsMissing) {
  EXPECT_EQ(open_error(scratch_ / "missing"), ErrorCode::not_found);
  make_file(scratch_ / "file", size);
  EXPECT_EQ(open_error(scratch_ / "file"), ErrorCode::io_failed);
  fs::create_directory(scratch_ / "empty");
  const auto empty = DeviceDirectory::open(world_, scratch_ / "empty");
  ASSERT_FALSE(empty.has_value());
  EXPECT_EQ(empty.error().code, ErrorCode::not_found);
  EXPECT_STREQ(empty.error().reason, "the directory holds no file `device`");
  fs::create_symlink(scratch_ / "nowhere", scratch_ / "empty/device");
  EXPECT_EQ(open_error(scratch_ / "empty"), ErrorCode::not_found);
  fs::create_directories(scratch_ / "nested/device");
  EXPECT_EQ(open_error(scratch_ / "nested"), ErrorCode::invalid_argument);
}

TEST_F(DeviceDirectoryTest, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "d", size).has_value());
  fs::permissions(scratch_ / "d/device", fs::perms::owner_read);
  EXPECT_EQ(open_error(scratch_ / "d"), ErrorCode::io_failed);
  fs::permissions(scratch_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(create_error(scratch_ / "e"), ErrorCode::io_failed);
  fs::permissions(scratch_.path(), fs::perms::owner_all);
}

TEST_F(DeviceDirectoryTest, KnowsWhereItLies) {
  ASSERT_TRUE(DeviceDirectory::create(scratch_ / "a", size).has_value());
  const std::uint64_t place = place_of(scratch_ / "a").value();
  EXPECT_EQ(place_of(scratch_ / "not there yet").value(), place);
  EXPECT_EQ(place_of(scratch_ / "not there yet/").value(), place);
  EXPECT_EQ(place_of("not there yet").value(), place_of(".").value());
  EXPECT_NE(place_of("/proc").value(), place);
  EXPECT_EQ(place_of(scratch_ / "missing/d").error().code, ErrorCode::not_found);
  EXPECT_EQ(place_of(scratch_ / "a/device/d").error().os_errno, ENOTDIR);
}

}  // namespace
}  // namespace parapet::os

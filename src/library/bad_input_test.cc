// What people give by mistake. Each is refused with one line that names it, and nothing is lost or changed.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/crc32c.h"
#include "layout/superblock.h"
#include "library/pool_testing.h"

namespace parapet::library {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

std::string file_content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string content(fs::file_size(path), '\0');
  stream.read(content.data(), static_cast<std::streamsize>(content.size()));
  return content;
}

/// The bytes of all devices that are there.
Paths contents(const Paths& directories) {
  Paths all;
  for (const std::string& directory : directories) all.push_back(file_content(directory + "/device"));
  return all;
}

/// Overwrites bytes of a file.
void patch(const std::string& path, std::uint64_t offset, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush().good());
}

void damage_superblocks(const std::string& path) {
  for (std::uint64_t copy = 0; copy < layout::superblock_copy_count; ++copy)
    patch(path, copy * layout::superblock_size + 300, "rot");
}

PoolError open_error(const Paths& directories) {
  const auto pool = Pool::open(directories);
  EXPECT_FALSE(pool.has_value());
  if (pool) return {};
  EXPECT_EQ(pool.error().message().find('\n'), std::string::npos);
  return pool.error();
}

// --- opening ---------------------------------------------------------------------------------------------------------

struct OpenTest : ::testing::Test {
  /// Opening with `directory` in the place of device 3 says this about it, and afterwards the pool is as it was.
  void expect_refusal(const std::string& directory, ErrorCode code, const std::string& what) {
    Paths given = pool.paths;
    given[3] = directory;
    const Paths before = contents(pool.paths);
    const PoolError error = open_error(given);
    EXPECT_EQ(error.code, code) << error.message();
    EXPECT_EQ(error.message().find(directory + ": "), 0u) << error.message();
    EXPECT_NE(error.message().find(what), std::string::npos) << error.message();
    EXPECT_EQ(contents(pool.paths), before);
  }

  ScratchPool pool;
};

TEST_F(OpenTest, NeedsDirectories) {
  EXPECT_EQ(open_error({}).message(), "open pool: no device directory is given");
  const PoolError error = open_error(Paths(129, pool.paths[0]));
  EXPECT_EQ(error.message(), "open pool: 129 device directories are given; a pool has at most 128");
}

TEST_F(OpenTest, RefusesNamesThatAreNone) {
  EXPECT_EQ(open_error({""}).code, ErrorCode::invalid_argument);
  const std::string with_nul = pool.paths[0] + std::string(1, '\0') + "x";
  EXPECT_NE(open_error({with_nul}).message().find("\\x00x"), std::string::npos);
}

TEST_F(OpenTest, RefusesADirectoryThatIsGivenTwice) {
  const std::string again = pool.scratch / "../" + fs::path(pool.scratch.path()).filename().string() + "/device-1/";
  const PoolError error = open_error({pool.paths[0], pool.paths[1], pool.paths[2], again});
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(), pool.paths[1] + " and " + again + ": open pool: they are one directory");
}

TEST_F(OpenTest, RefusesWhatIsNoDevice) {
  expect_refusal(pool.scratch / "missing", ErrorCode::not_found, "does not exist");
  fs::create_directory(pool.scratch / "empty");
  expect_refusal(pool.scratch / "empty", ErrorCode::not_found, "the directory holds no file `device`");
  os::make_file(pool.scratch / "file", 1 << 20);
  expect_refusal(pool.scratch / "file", ErrorCode::io_failed, "it is not a directory");
  fs::create_directory(pool.scratch / "letters");
  os::make_file(pool.scratch / "letters/letter", 5);
  expect_refusal(pool.scratch / "letters", ErrorCode::not_found, "the directory holds no file `device`");
  fs::create_directories(pool.scratch / "nested/device");
  expect_refusal(pool.scratch / "nested", ErrorCode::invalid_argument, "neither a file nor a block device");
  fs::create_directory(pool.scratch / "zeros");
  os::make_file(pool.scratch / "zeros/device", 8 << 20);
  expect_refusal(pool.scratch / "zeros", ErrorCode::not_found, "not a Parapet device");
  fs::create_directory(pool.scratch / "short");
  os::make_file(pool.scratch / "short/device", 4096);
  expect_refusal(pool.scratch / "short", ErrorCode::not_found, "too small for a Parapet device");
  fs::create_directory_symlink(pool.scratch / "circle", pool.scratch / "circle");
  expect_refusal(pool.scratch / "circle", ErrorCode::io_failed, std::strerror(ELOOP));
}

TEST_F(OpenTest, NamesADeviceOfAnotherPool) {
  const ScratchPool other;
  const Paths before = contents(other.paths);
  expect_refusal(other.paths[3], ErrorCode::invalid_argument, "it holds device 3 of another pool");
  Paths given = {other.paths[0], pool.paths[1], pool.paths[2], pool.paths[3]};
  EXPECT_EQ(open_error(given).subject, other.paths[0]) << "the odd one, though it comes first";
  EXPECT_EQ(contents(other.paths), before);
}

TEST_F(OpenTest, NamesACopyAndItsOriginal) {
  fs::copy(pool.paths[1], pool.scratch / "copy");
  const Paths before = contents(pool.paths);
  Paths given = pool.paths;
  given.push_back(pool.scratch / "copy");
  const PoolError error = open_error(given);
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_EQ(error.message(),
            pool.paths[1] + " and " + pool.scratch / "copy" + ": open pool: both hold device 1: one is a copy");
  EXPECT_EQ(contents(pool.paths), before);
}

TEST_F(OpenTest, RefusesANewerFormat) {
  std::string block = file_content(pool.file(3)).substr(0, layout::superblock_size);
  block[8] = 2;
  const auto crc = std::bit_cast<std::array<char, 4>>(base::crc32c(0, block.data(), block.size() - 4));
  block.replace(block.size() - 4, 4, crc.data(), 4);
  patch(pool.file(3), 0, block);
  expect_refusal(pool.paths[3], ErrorCode::unsupported, "format version 2 is not known, only 1 is");
}

TEST_F(OpenTest, GoesOnWithoutADeviceThatIsBroken) {
  damage_superblocks(pool.file(2));
  Pool opened = Pool::open(pool.paths).value();
  const PoolStatus status = opened.status();
  ASSERT_EQ(status.unusable.size(), 1u);
  EXPECT_EQ(status.unusable[0].directory, pool.paths[2]);
  EXPECT_EQ(status.unusable[0].reason, "superblock: its checksum is wrong");
  EXPECT_EQ(status.devices[2].state, DeviceState::absent);
  EXPECT_EQ(status.devices[2].directory, "");
  EXPECT_EQ(status.devices[1].state, DeviceState::in);
}

TEST_F(OpenTest, GoesOnWithoutADeviceThatLostItsEnd) {
  fs::resize_file(pool.file(0), 1 << 20);
  Pool opened = Pool::open(pool.paths).value();
  ASSERT_EQ(opened.status().unusable.size(), 1u);
  EXPECT_EQ(opened.status().unusable[0].reason, "device: it has 1048576 bytes, and had 8388608 when it was made");
  EXPECT_EQ(opened.status().devices[0].state, DeviceState::absent);
}

TEST_F(OpenTest, NeedsMoreThanHalfAndNamesTheMissing) {
  const Paths before = contents(pool.paths);
  const PoolError error = open_error({pool.paths[1], pool.paths[2]});
  EXPECT_EQ(error.code, ErrorCode::too_many_losses);
  EXPECT_EQ(error.message(), "open pool: 2 of the pool's 4 devices are there, 3 are needed (missing: 0, 3)");
  EXPECT_EQ(contents(pool.paths), before);
}

TEST_F(OpenTest, SaysWhyTooFewCanBeUsed) {
  damage_superblocks(pool.file(0));
  damage_superblocks(pool.file(3));
  const std::string why = pool.paths[0] + ": superblock: its checksum is wrong; " + pool.paths[3];
  EXPECT_NE(open_error(pool.paths).message().find("(missing: 0, 3; " + why), std::string::npos)
      << open_error(pool.paths).message();
  damage_superblocks(pool.file(1));
  damage_superblocks(pool.file(2));
  EXPECT_EQ(open_error(pool.paths).message().find("open pool: no device can be used (" + pool.paths[0]), 0u);
}

/// A process that holds what `lock` opened until the object is gone.
class OtherProcess {
 public:
  explicit OtherProcess(const std::function<bool()>& lock) {
    int ready[2], end[2];
    EXPECT_TRUE(::pipe(ready) == 0 && ::pipe(end) == 0);
    child_ = ::fork();
    if (child_ == 0) {
      ::close(end[1]);
      const char answer = lock() ? 'y' : 'n';
      char byte = 0;
      (void)!::write(ready[1], &answer, 1);
      (void)!::read(end[0], &byte, 1);
      ::_exit(0);
    }
    ::close(end[0]);
    ::close(ready[1]);
    char answer = 0;
    EXPECT_TRUE(::read(ready[0], &answer, 1) == 1 && answer == 'y');
    ::close(ready[0]);
    end_ = end[1];
  }
  ~OtherProcess() {
    ::close(end_);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
  int end_;
};

TEST_F(OpenTest, SaysThatAnotherProcessHasItOpen) {
  {
    const OtherProcess other([&] { return ::flock(::open(pool.paths[3].c_str(), O_RDONLY), LOCK_EX) == 0; });
    expect_refusal(pool.paths[3], ErrorCode::io_failed, "another process, or another Pool of this one, has it open");
  }
  EXPECT_TRUE(Pool::open(pool.paths).has_value());
}

TEST_F(OpenTest, IsNotOpenedTwice) {
  const Pool opened = Pool::open(pool.paths).value();
  const PoolError error = open_error(pool.paths);
  EXPECT_EQ(error.os_errno, EWOULDBLOCK);
  EXPECT_EQ(error.subject, pool.paths[0]);
}

TEST_F(OpenTest, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may do everything";
  fs::permissions(pool.file(3), fs::perms::owner_read);
  expect_refusal(pool.paths[3], ErrorCode::io_failed, "this user may not do that");
}

TEST_F(OpenTest, RefusesWrongOptions) {
  using namespace std::chrono_literals;
  for (const std::chrono::nanoseconds interval :
       {0ns, -1ns, std::chrono::nanoseconds(25h), std::chrono::nanoseconds::max()})
    EXPECT_EQ(Pool::open(pool.paths, {.commit_interval = interval}).error().code, ErrorCode::invalid_argument);
}

/// A file system in memory, while the object lives.
class Mount {
 public:
  explicit Mount(std::string path) : path_(std::move(path)) {
    fs::create_directory(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=64m") == 0;
  }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] bool make_read_only() const {
    return ::mount("none", path_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  }

 private:
  std::string path_;
  bool mounted_ = false;
};

TEST(ReadOnlyTest, IsRefusedAndUnharmed) {
  ScratchDevices devices(3);
  const Mount mount(devices.scratch / "memory");
  if (!mount.mounted()) GTEST_SKIP() << "this user may not mount: " << std::strerror(errno);
  devices.paths.push_back(devices.scratch / "memory/device-3");
  ASSERT_TRUE(Pool::create(devices.paths, small_pool()).has_value());
  ASSERT_TRUE(Pool::open(devices.paths).value().allocate().has_value());
  ASSERT_TRUE(mount.make_read_only());
  const Paths before = contents(devices.paths);
  const PoolError error = open_error(devices.paths);
  EXPECT_EQ(error.os_errno, EROFS);
  EXPECT_EQ(error.message().find(devices.paths[3] + ": open disk: the file system is mounted for reading only"), 0u)
      << error.message();
  EXPECT_EQ(contents(devices.paths), before);
  EXPECT_TRUE(Pool::open(Paths(devices.paths.begin(), devices.paths.begin() + 3)).has_value()) << "left out";

  const Paths fresh = {devices.scratch / "a", devices.scratch / "b", devices.scratch / "c",
                       devices.scratch / "memory/d"};
  const auto created = Pool::create(fresh, small_pool());
  ASSERT_FALSE(created.has_value());
  EXPECT_EQ(created.error().os_errno, EROFS);
  EXPECT_EQ(created.error().subject, fresh[3]);
  EXPECT_FALSE(fs::exists(fresh[0]) || fs::exists(fresh[1]) || fs::exists(fresh[2]));
}

// --- creating --------------------------------------------------------------------------------------------------------

struct CreateTest : ::testing::Test {
  PoolError create_error(const Paths& directories) {
    const auto created = Pool::create(directories, options);
    EXPECT_FALSE(created.has_value());
    if (created) return {};
    EXPECT_EQ(created.error().message().find('\n'), std::string::npos);
    return created.error();
  }
  /// With the options nothing is made.
  void expect_refusal(const std::string& what) {
    const PoolError error = create_error(devices.paths);
    EXPECT_EQ(error.code, ErrorCode::invalid_argument) << error.message();
    EXPECT_NE(error.message().find(what), std::string::npos) << error.message();
    EXPECT_TRUE(fs::is_empty(devices.scratch.path()));
  }

  ScratchDevices devices{4};
  PoolCreateOptions options = small_pool();
};

TEST_F(CreateTest, RefusesWrongCodes) {
  for (const char* code : {"", "rs", "rs(2,2", "rs(0,2)", "rs(2,2,matrix=none)", "nothing(2,2)", "rs(300,2)"}) {
    options.code = code;
    expect_refusal("");
  }
  options.code = "rs(4,2)";
  expect_refusal("the code needs 6 devices, 4 are given");
}

TEST_F(CreateTest, RefusesWrongSizes) {
  constexpr std::uint64_t huge = std::uint64_t{1} << 63;
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{4095}, (std::uint64_t{8} << 20) + 512, ~std::uint64_t{0}}) {
    options.device_size = size;
    expect_refusal("the device size must be a positive multiple of 4096 bytes");
  }
  for (const std::uint64_t size : {huge, std::uint64_t{1} << 50}) {
    options.device_size = size;
    expect_refusal("are too many");
  }
  options.device_size = 1 << 20;
  expect_refusal("1048576 bytes are too few for a log of 1048576 and three chunks of 65536");
  options = small_pool();
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{4096}, (std::uint64_t{1} << 20) + 1, ~std::uint64_t{0}}) {
    options.log_size = size;
    expect_refusal("a log has whole blocks of 4096 bytes, and 131072 bytes at least");
  }
  options.log_size = huge;
  expect_refusal("are too many");
  options.log_size = 8 << 20;
  expect_refusal("are too few");
  options = small_pool();
  for (const std::size_t size : {std::size_t{0}, (std::size_t{1} << 29) + 1, std::size_t{1} << 32, std::size_t{huge}}) {
    options.chunk_size = size;
    expect_refusal("the chunk size must be 1 to 536870912 bytes");
  }
  options.chunk_size = 1 << 29;
  expect_refusal("are too few");
}

TEST_F(CreateTest, RefusesAnUnknownScheme) {
  options.scheme = static_cast<UpdateScheme>(4);
  expect_refusal("the update scheme is not known");
}

TEST_F(CreateTest, RefusesWrongLists) {
  EXPECT_EQ(create_error({}).message(), "create pool: no device directory is given");
  EXPECT_EQ(create_error(Paths(129, "x")).message(),
            "create pool: 129 device directories are given; a pool has at most 128");
  devices.paths[3] = devices.scratch / "./device-0";
  expect_refusal(devices.paths[0] + " and " + devices.paths[3] + ": create pool: they are one directory");
}

TEST_F(CreateTest, RefusesTwoDevicesOnOneDisk) {
  options.allow_shared_disk = false;
  expect_refusal(devices.paths[0] + " and " + devices.paths[1] +
                 ": create pool: they lie on one disk, and would be lost together; allow_shared_disk");
}

TEST_F(CreateTest, TakesDevicesOnDisksOfTheirOwn) {
  const Mount mount(devices.scratch / "memory");
  if (!mount.mounted()) GTEST_SKIP() << "this user may not mount: " << std::strerror(errno);
  options.code = "replication(1,1)";
  options.allow_shared_disk = false;
  const auto created = Pool::create(Paths{devices.paths[0], devices.scratch / "memory/device"}, options);
  EXPECT_TRUE(created.has_value()) << created.error().message();
}

TEST_F(CreateTest, RefusesWhatIsNotEmptyAndTakesBackWhatItMade) {
  fs::create_directory(devices.paths[1]);  // An empty one stays.
  fs::create_directory(devices.paths[3]);
  os::make_file(devices.paths[3] + "/letter", 5);
  PoolError error = create_error(devices.paths);
  EXPECT_EQ(error.code, ErrorCode::already_exists);
  EXPECT_EQ(error.message(), devices.paths[3] + ": create device directory: the directory is not empty");
  EXPECT_FALSE(fs::exists(devices.paths[0]));
  EXPECT_TRUE(fs::is_empty(devices.paths[1]));
  EXPECT_FALSE(fs::exists(devices.paths[2]));
  EXPECT_EQ(fs::file_size(devices.paths[3] + "/letter"), 5u);

  fs::remove_all(devices.paths[3]);
  os::make_file(devices.paths[3], 5);
  error = create_error(devices.paths);
  EXPECT_EQ(error.subject, devices.paths[3]);
  EXPECT_EQ(error.code, ErrorCode::io_failed) << error.message();
  EXPECT_FALSE(fs::exists(devices.paths[0]));
}

TEST_F(CreateTest, ReplacesNoPool) {
  ASSERT_TRUE(Pool::create(devices.paths, options).has_value());
  const Paths before = contents(devices.paths);
  const Paths mixed = {devices.scratch / "new-0", devices.scratch / "new-1", devices.scratch / "new-2",
                       devices.paths[0]};
  const PoolError error = create_error(mixed);
  EXPECT_EQ(error.message(), devices.paths[0] + ": create device directory: the directory holds a device already");
  EXPECT_FALSE(fs::exists(mixed[0]));
  EXPECT_EQ(contents(devices.paths), before);
}

TEST_F(CreateTest, NeedsTheParent) {
  devices.paths[2] = devices.scratch / "missing/device";
  const PoolError error = create_error(devices.paths);
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(error.subject, devices.paths[2]);
  EXPECT_TRUE(fs::is_empty(devices.scratch.path()));
}

TEST_F(CreateTest, TakesBackWhatDidNotFit) {
  const Mount mount(devices.scratch / "memory");
  if (!mount.mounted()) GTEST_SKIP() << "this user may not mount: " << std::strerror(errno);
  Paths paths;
  for (unsigned i = 0; i < 4; ++i) paths.push_back(devices.scratch / ("memory/device-" + std::to_string(i)));
  options.device_size = 20 << 20;
  const PoolError error = create_error(paths);
  EXPECT_EQ(error.code, ErrorCode::no_space);
  EXPECT_EQ(error.subject, paths[3]);
  EXPECT_TRUE(fs::is_empty(devices.scratch / "memory"));
}

/// A block device over a file, while the object lives.
class Loop {
 public:
  explicit Loop(const std::string& file) {
    std::array<char, 64> name{};
    FILE* const answer = ::popen(("losetup --find --show '" + file + "' 2>/dev/null").c_str(), "r");
    if (answer == nullptr) return;
    if (std::fgets(name.data(), name.size(), answer) != nullptr) path_ = std::string(name.data());
    ::pclose(answer);
    if (!path_.empty()) path_.pop_back();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    if (!path_.empty()) (void)!std::system(("losetup --detach " + path_).c_str());
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_F(CreateTest, TakesARawDiskButNotOneOfAPool) {
  os::make_file(devices.scratch / "disk", 8 << 20);
  const Loop loop(devices.scratch / "disk");
  if (loop.path().empty()) GTEST_SKIP() << "this user may not make loop devices";
  fs::create_directory(devices.paths[0]);
  fs::create_symlink(loop.path(), devices.paths[0] + "/device");
  const auto made = Pool::create(devices.paths, options);
  ASSERT_TRUE(made.has_value()) << made.error().message();
  Pool::open(devices.paths).value().allocate().value();
  const Paths others = {devices.paths[0], devices.scratch / "a", devices.scratch / "b", devices.scratch / "c"};
  const PoolError error = create_error(others);
  EXPECT_EQ(error.code, ErrorCode::already_exists);
  EXPECT_EQ(error.subject, devices.paths[0]);
  EXPECT_TRUE(fs::is_symlink(devices.paths[0] + "/device"));
  EXPECT_FALSE(fs::exists(others[1]));
  EXPECT_EQ(Pool::open(devices.paths).value().segments().size(), 1u);
}

}  // namespace
}  // namespace parapet::library

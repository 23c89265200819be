#include "os/file_disk.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "env/io_batch.h"
#include "os/note_once.h"
#include "os/scratch_directory.h"

namespace parapet::os {
namespace {

using env::io_alignment;
using env::IoBatch;
using env::IoBuffer;

ErrorCode open_error(const std::string& path) {
  const RealWorld world;
  const auto disk = open_disk(world, path);
  EXPECT_FALSE(disk.has_value()) << path;
  return disk.has_value() ? ErrorCode{} : disk.error().code;
}

TEST(FileDisk, RefusesWhatIsNoDisk) {
  const ScratchDirectory scratch;
  EXPECT_EQ(open_error(scratch / "missing"), ErrorCode::not_found);
  EXPECT_EQ(open_error(scratch.path()), ErrorCode::invalid_argument);
  EXPECT_EQ(open_error("/dev/null"), ErrorCode::invalid_argument);
}

TEST(FileDisk, RefusesAFileThatMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const ScratchDirectory scratch;
  make_file(scratch / "file", io_alignment);
  std::filesystem::permissions(scratch / "file", std::filesystem::perms::owner_read);
  EXPECT_EQ(open_error(scratch / "file"), ErrorCode::io_failed);
}

TEST(FileDisk, TakesWholeBlocksOfAFile) {
  const ScratchDirectory scratch;
  make_file(scratch / "file", 3 * io_alignment + 100);
  const RealWorld world;
  const auto disk = open_disk(world, scratch / "file").value();
  EXPECT_EQ(disk->size(), 3 * io_alignment);
  EXPECT_EQ(disk->name(), scratch / "file");
}

/// Both engines.
class FileDiskOf : public ::testing::TestWithParam<IoEngine> {
 protected:
  RealWorld world_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Engines, FileDiskOf, ::testing::Values(IoEngine::ring, IoEngine::workers),
                         [](const auto& tested) { return tested.param == IoEngine::ring ? "ring" : "workers"; });

TEST_P(FileDiskOf, OperationsBeyondTheEndOfAShortenedFileFail) {
  const ScratchDirectory scratch;
  make_file(scratch / "file", 4 * io_alignment);
  const auto disk = open_disk(world_, scratch / "file").value();
  std::filesystem::resize_file(scratch / "file", io_alignment);
  IoBatch batch(world_);
  batch.read(*disk, 0, IoBuffer(io_alignment));
  batch.read(*disk, io_alignment, IoBuffer(io_alignment));
  batch.read(*disk, 0, IoBuffer(4 * io_alignment));
  batch.run();
  EXPECT_TRUE(batch.result(0).has_value());
  for (const std::size_t beyond : {1u, 2u}) {
    ASSERT_FALSE(batch.result(beyond).has_value());
    EXPECT_EQ(batch.result(beyond).error().code, ErrorCode::io_failed);
  }
}

TEST_P(FileDiskOf, ErrorsOfTheSystemReachTheirOperation) {
  const ScratchDirectory scratch;
  make_file(scratch / "file", io_alignment);
  auto unwritable = std::make_shared<DiskFile>();
  unwritable->descriptor = Descriptor(::open((scratch / "file").c_str(), O_RDONLY | O_CLOEXEC));
  unwritable->size = io_alignment;
  FileDisk disk(world_, "unwritable", unwritable);
  IoBatch batch(world_);
  batch.read(disk, 0, IoBuffer(io_alignment));
  batch.write_durable(disk, 0, IoBuffer(io_alignment));
  batch.flush(disk);
  batch.run();
  EXPECT_TRUE(batch.result(0).has_value());
  EXPECT_TRUE(batch.result(2).has_value());
  ASSERT_FALSE(batch.result(1).has_value());
  EXPECT_EQ(batch.result(1).error().code, ErrorCode::io_failed);
  EXPECT_EQ(batch.result(1).error().os_errno, EBADF);
}

TEST_P(FileDiskOf, ABatchGoesOverADiskInMemoryAndOneThatIsNot) {
  if (!is_tmpfs(memory_directory)) GTEST_SKIP() << memory_directory << " is not in memory";
  const ScratchDirectory scratch, scratch_in_memory(memory_directory);
  make_file(scratch / "file", 2 * io_alignment);
  make_file(scratch_in_memory / "file", 2 * io_alignment);
  const auto disk = open_disk(world_, scratch / "file").value();
  const auto disk_in_memory = open_disk(world_, scratch_in_memory / "file").value();
  EXPECT_EQ(disk_in_memory->mode(), "in memory");
  const IoBuffer ones(io_alignment), twos(io_alignment);
  std::ranges::fill(ones.span(), std::uint8_t{1});
  std::ranges::fill(twos.span(), std::uint8_t{2});
  IoBatch writes(world_);
  writes.write(*disk, 0, ones);
  writes.write(*disk_in_memory, 0, twos);
  writes.write(*disk, io_alignment, twos);
  writes.write(*disk_in_memory, io_alignment, ones);
  writes.run();
  EXPECT_TRUE(writes.first_error().has_value());
  for (const auto& [tested, first, second] : {std::tuple(disk.get(), 1, 2), std::tuple(disk_in_memory.get(), 2, 1)}) {
    const IoBuffer into(2 * io_alignment);
    IoBatch reads(world_);
    reads.read(*tested, 0, into);
    reads.run();
    EXPECT_TRUE(reads.first_error().has_value());
    EXPECT_EQ(into.data()[0], first);
    EXPECT_EQ(into.data()[io_alignment], second);
  }
}

/// A disk that answers when the test says so: the reading end of a pipe. Only a ring reads pipes at an offset.
class PipeDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (world_.io_engine() != IoEngine::ring) GTEST_SKIP() << "io_uring is not available";
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    auto file = std::make_shared<DiskFile>();
    file->descriptor = Descriptor(ends[0]);
    file->size = 1 << 20;
    disk_ = std::make_unique<FileDisk>(world_, "pipe", file);
    writing_end_ = Descriptor(ends[1]);
  }
  void answer(char byte, std::size_t count) const {
    const std::string bytes(count, byte);
    ASSERT_EQ(::write(writing_end_.fd(), bytes.data(), count), static_cast<ssize_t>(count));
  }
  env::Time soon() { return world_.now() + std::chrono::milliseconds(2); }

  RealWorld world_;
  std::unique_ptr<FileDisk> disk_;
  Descriptor writing_end_;
};

TEST_F(PipeDisk, ShortReadsAreContinued) {
  const IoBuffer into(2 * io_alignment);
  auto writer = world_.start_thread("writer", [&] {
    for (const char byte : {'a', 'b', 'c', 'd'}) answer(byte, io_alignment / 2);
  });
  IoBatch batch(world_);
  batch.read(*disk_, 0, into);
  batch.run(world_.now() + std::chrono::hours(1));
  EXPECT_TRUE(batch.first_error().has_value());
  for (std::size_t quarter = 0; quarter < 4; ++quarter)
    EXPECT_EQ(into.data()[(quarter + 1) * io_alignment / 2 - 1], 'a' + static_cast<int>(quarter));
}

TEST_F(PipeDisk, AnOperationThatHangsIsGivenUpAndLeavesLaterOnesAlone) {
  const ScratchDirectory scratch;
  make_file(scratch / "file", io_alignment);
  const auto good = open_disk(world_, scratch / "file").value();
  std::vector<IoBatch> hanging;
  for (int i = 0; i < 3; ++i) {
    hanging.emplace_back(world_);
    hanging.back().read(*disk_, 0, IoBuffer(io_alignment));
    hanging.back().read(*good, 0, IoBuffer(io_alignment));
    hanging.back().run(soon());
    ASSERT_FALSE(hanging.back().result(0).has_value());
    EXPECT_EQ(hanging.back().result(0).error().os_errno, ETIMEDOUT);
  }
  answer('x', 3 * io_alignment);
  for (int i = 0; i < 3; ++i) {
    IoBatch later(world_);
    later.read(*good, 0, IoBuffer(io_alignment));
    later.run();
    EXPECT_TRUE(later.first_error().has_value());
  }
  for (const IoBatch& batch : hanging) EXPECT_FALSE(batch.result(0).has_value()) << "a late answer changes nothing";
}

TEST_F(PipeDisk, AThreadMayEndWhileItsOperationHangs) {
  world_
      .start_thread("hasty",
                    [&] {
                      IoBatch batch(world_);
                      for (std::size_t i = 0; i < 10; ++i) batch.read(*disk_, 0, IoBuffer(io_alignment));
                      batch.run(soon());
                      EXPECT_FALSE(batch.first_error().has_value());
                    })
      .reset();
  disk_.reset();
}

TEST(NoteOnce, SaysEachTextOnce) {
  static int round = 0;  // For --gtest_repeat.
  const std::string one = "one " + std::to_string(++round), two = "two " + std::to_string(round);
  ::testing::internal::CaptureStderr();
  note_once(one);
  note_once(two);
  note_once(one);
  const std::string expected = "parapet: note: " + one + "\nparapet: note: " + two + "\n";
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), expected);
}

}  // namespace
}  // namespace parapet::os

#include "os/transfer.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace parapet::os {
namespace {

constexpr std::size_t size = 4 * env::io_alignment;
constexpr std::uint64_t offset = 7 * env::io_alignment;

std::shared_ptr<env::IoSet> set_of(env::Io::Kind kind) {
  auto set = std::make_shared<env::IoSet>();
  const bool has_bytes = kind != env::Io::Kind::flush;
  set->ios.push_back({kind, nullptr, offset, has_bytes ? env::IoBuffer(size) : env::IoBuffer(), false, {}});
  set->pending = 1;
  return set;
}

Transfer transfer_of(const std::shared_ptr<env::IoSet>& set) { return {std::make_shared<const DiskFile>(), set, 0}; }

TEST(Transfer, GoesOnWhereAShortCallStopped) {
  const auto set = set_of(env::Io::Kind::read);
  Transfer transfer = transfer_of(set);
  EXPECT_EQ(transfer.offset(), offset);
  EXPECT_EQ(transfer.size(), size);
  EXPECT_FALSE(transfer.advance(512));
  EXPECT_EQ(transfer.offset(), offset + 512);
  EXPECT_EQ(transfer.data(), set->ios[0].buffer.data() + 512);
  EXPECT_EQ(transfer.size(), size - 512);
  EXPECT_FALSE(transfer.advance(-EINTR));
  EXPECT_FALSE(transfer.advance(-EAGAIN));
  EXPECT_EQ(transfer.offset(), offset + 512);
  EXPECT_TRUE(transfer.advance(size - 512));
  EXPECT_FALSE(set->ios[0].done) << "only finish() touches the set";
  transfer.finish();
  EXPECT_TRUE(set->ios[0].done);
  EXPECT_TRUE(set->ios[0].result.has_value());
  EXPECT_EQ(set->pending, 0u);
}

TEST(Transfer, AFlushIsOverWhenItsCallReturns) {
  const auto set = set_of(env::Io::Kind::flush);
  Transfer transfer = transfer_of(set);
  EXPECT_TRUE(transfer.advance(0));
  transfer.finish();
  EXPECT_TRUE(set->ios[0].result.has_value());
}

TEST(Transfer, AnErrorEndsIt) {
  const auto set = set_of(env::Io::Kind::write_durable);
  Transfer transfer = transfer_of(set);
  EXPECT_FALSE(transfer.advance(4096));
  EXPECT_TRUE(transfer.advance(-EIO));
  transfer.finish();
  ASSERT_FALSE(set->ios[0].result.has_value());
  EXPECT_EQ(set->ios[0].result.error().code, ErrorCode::io_failed);
  EXPECT_EQ(set->ios[0].result.error().os_errno, EIO);
}

TEST(Transfer, TheEndOfTheFileEndsIt) {
  const auto set = set_of(env::Io::Kind::read);
  Transfer transfer = transfer_of(set);
  EXPECT_TRUE(transfer.advance(0));
  transfer.finish();
  ASSERT_FALSE(set->ios[0].result.has_value());
  EXPECT_EQ(set->ios[0].result.error().code, ErrorCode::io_failed);
}

}  // namespace
}  // namespace parapet::os

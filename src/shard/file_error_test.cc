#include "shard/file_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace parapet::shard {
namespace {

TEST(FileError, SaysWhatTheSystemSays) {
  const FileError error = os_error("open", "a\nb", ENOENT);
  EXPECT_EQ(error.error.code, ErrorCode::not_found);
  EXPECT_EQ(error.message(), "a\\nb: cannot open: No such file or directory");
  EXPECT_EQ(os_error("write", "x", ENOSPC).error.code, ErrorCode::no_space);
  EXPECT_EQ(os_error("write", "x", EFBIG).error.code, ErrorCode::no_space);
  EXPECT_EQ(os_error("create", "x", EEXIST).error.code, ErrorCode::already_exists);
  EXPECT_EQ(os_error("read", "x", EIO).error.code, ErrorCode::io_failed);
}

TEST(FileError, ShowsReasonAndDetail) {
  const FileError error{
      {.code = ErrorCode::corrupt, .operation = "read", .reason = "it ends at byte {}", .values = {7}}, "x", "really"};
  EXPECT_EQ(error.message(), "x: read: it ends at byte 7 (really)");
}

}  // namespace
}  // namespace parapet::shard

#include "shard/file_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace parapet::shard {
namespace {

TEST(Printable, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("plain name.txt"), "plain name.txt");
  EXPECT_EQ(printable("two\nlines\t\x1b[31m\x7f"), "two\\nlines\\x09\\x1b[31m\\x7f");
  EXPECT_EQ(printable("back\\slash"), "back\\\\slash");
  EXPECT_EQ(printable("h\xc3\xa4user \xe2\x82\xac \xf0\x9f\x8e\x89"), "h\xc3\xa4user \xe2\x82\xac \xf0\x9f\x8e\x89");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // Overlong.
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // A surrogate.
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85");           // A control character of two bytes.
}

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

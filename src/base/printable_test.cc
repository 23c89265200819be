#include "base/printable.h"

#include <gtest/gtest.h>

namespace parapet::base {
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

}  // namespace
}  // namespace parapet::base

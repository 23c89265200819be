#include "bench/isal.h"

#include <gtest/gtest.h>

namespace parapet::bench {
namespace {

TEST(IsalTest, SaysWhatCannotBeLoaded) {
  const auto absent = Isal::load("libno-such-library.so.9");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("libno-such-library.so.9"), std::string::npos);
  const auto other = Isal::load("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "libc.so.6 is not ISA-L: it lacks the erasure code functions");
}

}  // namespace
}  // namespace parapet::bench

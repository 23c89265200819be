#include "front/cli/quantity.h"

#include <gtest/gtest.h>

namespace parapet::front {
namespace {

TEST(Quantity, ParsesSizesWithBinarySuffixes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64K"), 65536u);
  EXPECT_EQ(parse_size("64k"), 65536u);
  EXPECT_EQ(parse_size("1MiB"), 1048576u);
  EXPECT_EQ(parse_size("2g"), 2147483648u);
  EXPECT_EQ(parse_size("3T"), std::uint64_t{3} << 40);
  EXPECT_EQ(parse_size("18446744073709551615"), UINT64_MAX);
}

TEST(Quantity, RefusesWhatIsNoSize) {
  for (const char* text : {"", "K", "-1", "1.5M", "1 M", "1X", "1KK", "1MiBs", "18446744073709551616", "16777216T"})
    EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Quantity, WritesSizesWithThreeDigits) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(1023), "1023 B");
  EXPECT_EQ(size_text(1024), "1.00 KiB");
  EXPECT_EQ(size_text(1536 << 10), "1.50 MiB");
  EXPECT_EQ(size_text((std::uint64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(size_text(UINT64_MAX), "16.0 EiB");
}

TEST(Quantity, WritesRatesAndTimes) {
  EXPECT_EQ(rate_text(1'530'000'000, 1), "1.53 GB/s");
  EXPECT_EQ(rate_text(999'000, 2), "500 kB/s");
  EXPECT_EQ(time_text(7), "0:07");
  EXPECT_EQ(time_text(750), "12:30");
  EXPECT_EQ(time_text(3723), "1:02:03");
}

}  // namespace
}  // namespace parapet::front

#include "gf/cache_size.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace parapet::gf {
namespace {

#if defined(__x86_64__)
// Here the processor is asked, as Linux does too. Elsewhere the emulator that runs a test may stand between the two.
// Linux describes the caches of processor 0 in files; index3 is the third level, e.g. "32768K".
TEST(CacheSize, IsThatOfTheThirdLevelAsLinuxSeesIt) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::string text;
  if (!(file >> text)) GTEST_SKIP() << "the system does not describe a third-level cache";
  EXPECT_EQ(last_level_cache_bytes(), std::stoull(text) << 10) << text;
}
#endif

TEST(CacheSize, IsPlausible) {
  EXPECT_GE(last_level_cache_bytes(), std::size_t{128} << 10);
  EXPECT_LE(last_level_cache_bytes(), std::size_t{4} << 30);
}

}  // namespace
}  // namespace parapet::gf

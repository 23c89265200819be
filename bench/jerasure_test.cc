#include "bench/jerasure.h"

#include <gtest/gtest.h>

#include <cstring>

#include "bench/codec_work.h"

namespace parapet::bench {
namespace {

TEST(JerasureTest, SaysWhatCannotBeLoaded) {
  const auto absent = Jerasure::load("libno-such-library.so.9");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("libno-such-library.so.9"), std::string::npos);
  const auto other = Jerasure::load("libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "libc.so.6 is not Jerasure: it lacks its coding functions");
}

// Where Jerasure is installed, the real library gives our bytes for larger chunks and more shapes than the vectors
// have.
TEST(JerasureTest, GivesTheSameBytes) {
  const auto jerasure = Jerasure::load("libJerasure.so.2");
  if (!jerasure) GTEST_SKIP() << "libJerasure.so.2 is not installed";
  for (const char* const text :
       {"cauchy_good(10,4,packetsize=256)", "cauchy_good(28,3,w=7,packetsize=64)",
        "cauchy_good(20,2,w=6,packetsize=64)", "cauchy_good(250,2,packetsize=8)", "cauchy_good(9,4,w=13,packetsize=16)",
        "cauchy_good(5,2,w=12,packetsize=16)", "cauchy_orig(100,5,packetsize=32)", "cauchy_orig(6,3,w=16,packetsize=8)",
        "liberation(13,2,packetsize=64)", "liberation(3,2,w=11,packetsize=64)", "blaum_roth(10,2,packetsize=64)",
        "blaum_roth(12,2,packetsize=8)", "blaum_roth(5,2,w=7,packetsize=64,unsafe=yes)",
        "liber8tion(8,2,packetsize=128)", "liber8tion(5,2,packetsize=8)", "reed_sol_r6_op(100,2)",
        "rs(10,4,matrix=jerasure)"}) {
    const auto code = Code::parse(text);
    ASSERT_TRUE(code.has_value()) << text << ": " << code.error().message();
    Arena arena;
    const std::size_t chunk_size = 64 * code->chunk_size_multiple();
    const auto stripes = arena.lay_out({code->k(), code->m()}, chunk_size, Layout::contiguous, 1);
    const Stripe& stripe = stripes.front();
    encode_work(*code, stripes)(0);
    for (unsigned i = 0; i < code->m(); ++i) {
      std::memcpy(stripe.outputs[i], stripe.chunks[code->k() + i], chunk_size);
      std::memset(stripe.chunks[code->k() + i], 0, chunk_size);
    }
    jerasure->encode_work(*code, stripe)(0);
    for (unsigned i = 0; i < code->m(); ++i)
      EXPECT_EQ(std::memcmp(stripe.outputs[i], stripe.chunks[code->k() + i], chunk_size), 0) << text << " parity " << i;
  }
}

}  // namespace
}  // namespace parapet::bench

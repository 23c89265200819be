// PARAPET_ISA from end to end. The choice is made once per process, so each one needs a process of its own.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>

#include "codec/test_stripe.h"
#include "gf/isa.h"

namespace parapet::codec {
namespace {

/// Whether encoding and the reconstruction of two chunks work.
bool works(const char* text) {
  const Oracle oracle(text);
  base::Prng prng(1);
  const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 6000));
  const std::size_t size = stripe[0].size();
  const Code code = Code::parse(text).value();
  auto parity = random_chunks(prng, oracle.m(), size);
  std::vector<Bytes> outputs(2, Bytes(size));
  const IndexedRegion wanted[] = {{0, {outputs[0].data(), size}}, {2, {outputs[1].data(), size}}};
  return code.encode(const_regions(data_of(oracle, stripe)), regions(parity)).has_value() &&
         parity == parity_of(oracle, stripe) &&
         code.reconstruct(const_regions(stripe, all_chunks(oracle) - ChunkSet{0, 2}), wanted).has_value() &&
         outputs[0] == stripe[0] && outputs[1] == stripe[2];
}

/// Tries codes of all kinds: products, sums, diagonals, packets. Then says which instruction set did it.
[[noreturn]] void work_and_exit() {
  if (const auto code = Code::parse("xrs(6,3)"); !code) {
    std::cerr << code.error().message() << '\n';
    std::exit(code.error().code == ErrorCode::unsupported && !active_isa().has_value() ? 3 : 4);
  }
  bool right = true;
  for (const char* const text : {"rs(5,3)", "xrs(6,3)", "lrc(6,2,2)", "clay(4,2)", "rdp(6,2)", "evenodd(5,2)",
                                 "cauchy_good(5,3,w=5)", "liberation(5,2,packetsize=136)"})
    right &= works(text);
  std::cerr << "isa " << active_isa().value() << '\n';
  std::exit(right ? 0 : 5);
}

class IsaChoiceDeathTest : public testing::Test {
 protected:
  // Runs the test program again from its start, so that nothing has chosen yet.
  IsaChoiceDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (const char* const name = std::getenv("PARAPET_ISA")) before_ = name;
  }
  ~IsaChoiceDeathTest() override { choose(before_ ? before_->c_str() : nullptr); }

  static void choose(const char* name) {
    if (name == nullptr) unsetenv("PARAPET_ISA");
    if (name != nullptr) setenv("PARAPET_ISA", name, 1);
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(IsaChoiceDeathTest, EverySupportedOneCanBeForced) {
  for (const gf::Kernels* kernels : gf::all_kernels()) {
    choose(kernels->name);
    if (kernels->supported()) {
      EXPECT_EXIT(work_and_exit(), testing::ExitedWithCode(0), std::string("isa ") + kernels->name + "\n");
    } else {
      EXPECT_EXIT(work_and_exit(), testing::ExitedWithCode(3), "lacks");
    }
  }
}

TEST_F(IsaChoiceDeathTest, UnknownOnesAreAnErrorOfParse) {
  for (const char* const name : {"sse9", "AVX2", "avx2 "}) {
    choose(name);
    EXPECT_EXIT(work_and_exit(), testing::ExitedWithCode(3), "PARAPET_ISA.*unknown") << name;
  }
}

TEST_F(IsaChoiceDeathTest, EmptyOrUnsetMeansTheBest) {
  const char* const best = gf::choose_kernels("").value()->name;
  for (const char* const name : {static_cast<const char*>(nullptr), ""}) {
    choose(name);
    EXPECT_EXIT(work_and_exit(), testing::ExitedWithCode(0), std::string("isa ") + best + "\n");
  }
}

}  // namespace
}  // namespace parapet::codec

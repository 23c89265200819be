// Defects and traps of the libraries that this codec is compatible with: each has a test that shows we don't have it.
// The libraries: templexxx/xrs ea974d05 and templexxx/reedsolomon v1.1.3 and e488e465; ISA-L 2.30 to 2.32;
// Jerasure 2.0; klauspost/reedsolomon v1.14.1.
#include <gtest/gtest.h>

#include "base/test_seeds.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

constexpr const char* codes_12_4[] = {"rs(12,4)", "xrs(12,4)"};
// Chunk sizes at which the tail step of templexxx/reedsolomon damages parity, for first-level caches of 32 and 48 KB.
constexpr std::size_t tail_sizes[] = {16'384 + 18, 24'594, 65'602, (1 << 20) + 18};

// templexxx: "the tail step XORs the whole last part again in place of its last bytes", without an error.
TEST(DefectNotHere, UpdateCorruptsParityOfLongChunks) {
  for (const char* const text : codes_12_4) {
    const Oracle oracle(text);
    const Code code = parse(text);
    for (const std::size_t size : tail_sizes) {
      base::Prng prng(size);
      const auto stripe = random_stripe(oracle, prng, size);
      auto data = data_of(oracle, stripe);
      data[5] = random_bytes(prng, size);
      const auto expected = parity_of(oracle, oracle.encode(data));
      auto parity = parity_of(oracle, stripe);
      ASSERT_TRUE(
          code.update(5, 0, ConstRegion(stripe[5].data(), size), ConstRegion(data[5].data(), size), regions(parity))
              .has_value());
      ASSERT_TRUE(parity == expected) << text << " chunks of " << size;
    }
  }
}

TEST(DefectNotHere, ReplaceCorruptsParityOfLongChunks) {
  for (const char* const text : codes_12_4) {
    const Oracle oracle(text);
    const Code code = parse(text);
    for (const std::size_t size : tail_sizes) {
      base::Prng prng(size);
      auto data = random_chunks(prng, 12, size);
      data[0] = data[7] = Bytes(size);
      auto parity = parity_of(oracle, oracle.encode(data));
      data[0] = random_bytes(prng, size);
      data[7] = random_bytes(prng, size);
      const ConstIndexedRegion filled[] = {{7, {data[7].data(), size}}, {0, {data[0].data(), size}}};
      ASSERT_TRUE(code.replace(filled, regions(parity)).has_value());
      ASSERT_TRUE(parity == parity_of(oracle, oracle.encode(data))) << text << " chunks of " << size;
    }
  }
}

// templexxx/xrs strips the piggybacks of the parities that it is given and does not restore them.
TEST(DefectNotHere, ReconstructAltersSurvivors) {
  const Oracle oracle("xrs(10,4)");
  const Code code = parse("xrs(10,4)");
  base::Prng prng(1);
  const auto stripe = random_stripe(oracle, prng, 96);
  auto chunks = stripe;
  for (const ChunkSet& lost : {ChunkSet{0, 1}, ChunkSet{0, 10}, ChunkSet{12, 13}, ChunkSet{2}}) {
    for (const bool wants_any : {true, false}) {  // the original alters them even when nothing is wanted
      std::vector<Bytes> outputs(lost.count(), Bytes(96));
      std::vector<IndexedRegion> wanted;
      for (const unsigned chunk : lost)
        if (wants_any) wanted.push_back({chunk, {outputs[wanted.size()].data(), 96}});
      ASSERT_TRUE(code.reconstruct(const_regions(chunks, all_chunks(oracle) - lost), wanted).has_value());
      ASSERT_TRUE(chunks == stripe) << "lost " << to_text(lost);
    }
  }
}

// templexxx/xrs always takes the reduced path for one wanted data chunk, also when what it reads is lost.
TEST(DefectNotHere, ReducedRepairFromLostHelpersGivesGarbage) {
  const Oracle oracle("xrs(10,4)");
  const Code code = parse("xrs(10,4)");
  base::Prng prng(2);
  const auto stripe = random_stripe(oracle, prng, 64);
  for (const unsigned other : {10u, 11u, 1u, 3u, 13u}) {
    const ChunkSet available = all_chunks(oracle) - ChunkSet{0, other};
    Bytes output(64);
    const IndexedRegion wanted{0, {output.data(), 64}};
    // What the lost chunk held must not matter: poison it.
    auto chunks = stripe;
    chunks[other] = random_bytes(prng, 64);
    ASSERT_TRUE(code.reconstruct(const_regions(chunks, available), {&wanted, 1}).has_value());
    EXPECT_EQ(output, stripe[0]) << "with chunk " << other << " lost";
    const auto plan = code.plan_repair(available, {0}, 64);
    ASSERT_TRUE(plan.has_value());
    EXPECT_FALSE(plan->chunks_read().contains(other));
  }
}

// templexxx/xrs exports its groups as a map that anybody may change; here no two calls can differ.
TEST(DefectNotHere, GroupsCanBeChanged) {
  const Code code = parse("xrs(6,3)");
  const Code copy = code;
  const auto first = code.plan_repair(ChunkSet::range(1, 9), {0}, 64);
  const auto second = copy.plan_repair(ChunkSet::range(1, 9), {0}, 64);
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_TRUE(std::ranges::equal(first->reads(), second->reads()));
}

// ISA-L gf_gen_rs_matrix: some losses cannot be decoded beyond these limits, and nothing says so.
TEST(TrapNotHere, IsalMatrixBeyondItsLimitsIsNotMds) {
  for (const char* const text : {"rs(21,4,matrix=isal)", "rs(5,5,matrix=isal)", "rs(4,21,matrix=isal)",
                                 "rs(253,3,matrix=isal)", "rs(254,2,matrix=isal)", "rs(3,253,matrix=isal)"})
    EXPECT_TRUE(Code::parse(text).has_value()) << text;
  for (const char* const text :
       {"rs(22,4,matrix=isal)", "rs(6,5,matrix=isal)", "rs(10,5,matrix=isal)", "rs(8,6,matrix=isal)",
        "rs(4,22,matrix=isal)", "rs(5,6,matrix=isal)", "rs(12,252,matrix=isal)"}) {
    const auto code = Code::parse(text);
    ASSERT_FALSE(code.has_value()) << text;
    EXPECT_EQ(code.error().code, ErrorCode::invalid_argument);
  }
  const std::string message = Code::parse("rs(22,4,matrix=isal)").error().message();
  EXPECT_NE(message.find("2 of 14950 losses"), std::string::npos) << message;
  EXPECT_NE(message.find("cauchy"), std::string::npos) << message;
}

// Jerasure: sizes that are no multiple of a word abort or write past the end. With gf-complete also alignment matters.
TEST(TrapNotHere, ChunkSizesMustBeMultiplesOfWords) {
  const Oracle oracle("rs(3,2,matrix=jerasure)");
  const Code code = parse("rs(3,2,matrix=jerasure)");
  base::Prng prng(3);
  for (std::size_t size = 1; size <= 300; ++size) {
    const auto stripe = random_stripe(oracle, prng, size);
    auto places = random_chunks(prng, 2, size + 70);
    auto expected = places;
    std::vector<Region> parity;
    for (std::size_t r = 0; r < 2; ++r) {
      parity.emplace_back(places[r].data() + 3, size);
      std::copy(stripe[3 + r].begin(), stripe[3 + r].end(), expected[r].begin() + 3);
    }
    ASSERT_TRUE(code.encode(const_regions(data_of(oracle, stripe)), parity).has_value());
    ASSERT_TRUE(places == expected) << "chunks of " << size;
  }
}

// Jerasure's constructors return null beyond the field and its encoders then crash; its decoder crashes without losses.
TEST(TrapNotHere, TooLargeCodesAndNoLossesCrash) {
  EXPECT_TRUE(Code::parse("rs(252,4,matrix=jerasure)").has_value());
  EXPECT_FALSE(Code::parse("rs(253,4,matrix=jerasure)").has_value());
  const Oracle oracle("rs(4,2)");
  base::Prng prng(4);
  const auto stripe = random_stripe(oracle, prng, 10);
  EXPECT_TRUE(parse("rs(4,2)").reconstruct(const_regions(stripe), {}).has_value());
}

// Jerasure and ISA-L users: a decoder that fails may have overwritten buffers already.
TEST(TrapNotHere, FailedDecodingLeavesBuffersHalfWritten) {
  const Oracle oracle("xrs(4,3)");
  base::Prng prng(5);
  const auto stripe = random_stripe(oracle, prng, 40);
  auto outputs = random_chunks(prng, 4, 40);
  const auto before = outputs;
  std::vector<IndexedRegion> wanted;
  for (unsigned i = 0; i < 4; ++i) wanted.push_back({i, {outputs[i].data(), 40}});
  const auto done = parse("xrs(4,3)").reconstruct(const_regions(stripe, {4, 5, 6}), wanted);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, ErrorCode::too_many_losses);
  EXPECT_TRUE(outputs == before);
}

}  // namespace
}  // namespace parapet::codec

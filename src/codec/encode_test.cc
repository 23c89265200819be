// Encoding and verification against the oracle.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/aligned_buffer.h"
#include "base/test_seeds.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"
#include "gf/product.h"

namespace parapet::codec {
namespace {

class EncodeTest : public FamilyTest {};

TEST_P(EncodeTest, ParityIsTheOracles) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(oracle.n() > 14 ? 4 : 40); ++seed) {
      base::Prng prng(seed);
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      auto data = data_of(oracle, stripe);
      auto parity = random_chunks(prng, oracle.m(), stripe[0].size());
      const auto done = code.encode(const_regions(data), regions(parity));
      ASSERT_TRUE(done.has_value()) << done.error().message();
      ASSERT_TRUE(parity == parity_of(oracle, stripe)) << "seed " << seed << " chunks of " << stripe[0].size();
      ASSERT_TRUE(data == data_of(oracle, stripe)) << "data were changed, seed " << seed;
    }
  });
}

TEST_P(EncodeTest, VerifyNamesTheParitiesThatDisagree) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(oracle.n() > 14 ? 4 : 20); ++seed) {
      base::Prng prng(seed);
      auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      EXPECT_EQ(code.verify(const_regions(stripe)).value(), ChunkSet()) << "seed " << seed;
      const ChunkSet parity = ChunkSet::range(oracle.k(), oracle.n());
      const ChunkSet rotten = random_subset(prng, parity, 1 + prng.below(oracle.m()));
      for (const unsigned chunk : rotten)
        stripe[chunk][prng.below(stripe[chunk].size())] ^= static_cast<std::uint8_t>(1u << prng.below(8));
      const auto before = stripe;
      EXPECT_EQ(code.verify(const_regions(stripe)).value(), rotten) << "seed " << seed;
      EXPECT_TRUE(stripe == before) << "seed " << seed;
    }
  });
}

// A rotten data byte shows in every parity that depends on it.
TEST_P(EncodeTest, VerifyShowsRottenData) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(9);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 32));
    for (int round = 0; round < 4; ++round) {
      auto rotten = stripe;
      const auto chunk = prng.below(oracle.k());
      rotten[chunk][prng.below(rotten[chunk].size())] ^= 0x40;
      const auto right = oracle.encode(data_of(oracle, rotten));
      ChunkSet expected;
      for (unsigned i = oracle.k(); i < oracle.n(); ++i)
        if (rotten[i] != right[i]) expected.insert(i);
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(code.verify(const_regions(rotten)).value(), expected);
    }
  });
}

// The parities that depend on a chunk are those with an element of it in the generator.
TEST_P(EncodeTest, ParitiesOfAChunkAreTheOracles) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    const unsigned alpha = oracle.alpha();
    for (unsigned chunk = 0; chunk < oracle.k(); ++chunk) {
      ChunkSet expected;
      for (unsigned row = 0; row < oracle.m() * alpha; ++row)
        for (unsigned sub = 0; sub < alpha; ++sub)
          if (oracle.generator()[row][chunk * alpha + sub] != 0) expected.insert(oracle.k() + row / alpha);
      EXPECT_EQ(code.parities_of(chunk), expected) << "chunk " << chunk;
    }
    for (const unsigned chunk : {oracle.k(), oracle.n(), 256u, ~0u}) EXPECT_EQ(code.parities_of(chunk), ChunkSet());
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, EncodeTest, testing::ValuesIn(by_family(tiny_codes, small_codes, large_codes)),
                         family_name);

// Sizes around the pieces that programs, kernels and verification work in, and one beyond the cache.
TEST(EncodeLarge, ParityIsTheOracles) {
  for (const char* const text :
       {"rs(3,2)", "rs(2,7)", "xrs(3,3)", "hitchhiker(2,3)", "lrc(4,2,1)", "clay(2,2)", "rdp(4,2)", "evenodd(3,2)",
        "cauchy_good(3,2,w=4)", "liberation(3,2,packetsize=4104)"}) {
    const Oracle oracle(text);
    const Code code = parse(text);
    base::Prng prng(1);
    for (const std::size_t about : {2046u, 4096u, 4098u, 8190u, 8192u, 8194u, 24'594u, 65'602u, (1u << 20) + 18}) {
      const std::size_t size = chunk_size_from(oracle, about);
      auto stripe = random_stripe(oracle, prng, size);
      auto parity = random_chunks(prng, oracle.m(), size);
      ASSERT_TRUE(code.encode(const_regions(data_of(oracle, stripe)), regions(parity)).has_value());
      ASSERT_TRUE(parity == parity_of(oracle, stripe)) << text << " chunks of " << size;
      const auto chunk = static_cast<unsigned>(oracle.k() + prng.below(oracle.m()));
      stripe[chunk][prng.below(2) == 0 ? size - 1 : prng.below(size)] ^= 1;
      ASSERT_EQ(code.verify(const_regions(stripe)).value(), ChunkSet{chunk}) << text << " chunks of " << size;
    }
  }
}

/// n chunks in one piece of memory.
struct LargeStripe {
  LargeStripe(std::size_t chunk_count, std::size_t size) : chunk_size(size), memory(chunk_count * size, 4096) {}
  [[nodiscard]] std::uint8_t* chunk(std::size_t index) const { return memory.data() + index * chunk_size; }
  std::size_t chunk_size;
  base::AlignedBuffer memory;
};

/// Compares samples with the oracle, which is slow: a byte of each half makes a chunk of two bytes.
void check_samples(const LargeStripe& stripe, const Oracle& oracle, base::Prng& prng) {
  const std::size_t half = stripe.chunk_size / 2;
  for (int sample = 0; sample < 2000; ++sample) {
    const std::size_t at = sample == 0 ? 0 : sample == 1 ? half - 1 : prng.below(half);
    std::vector<Bytes> data;
    for (std::size_t i = 0; i < oracle.k(); ++i) data.push_back({stripe.chunk(i)[at], stripe.chunk(i)[half + at]});
    const auto expected = oracle.encode(data);
    for (std::size_t i = oracle.k(); i < oracle.n(); ++i)
      ASSERT_EQ((Bytes{stripe.chunk(i)[at], stripe.chunk(i)[half + at]}), expected[i])
          << "chunk " << i << " byte " << at;
  }
}

// Kernels write past the cache when a stripe is larger than half of it.
TEST(EncodeLarge, StripesBeyondTheCache) {
  std::size_t size = std::size_t{1} << 20;
  while (gf::store_for(12 * size) == gf::Store::cached) size *= 2;
  size += 2 * 77;
  if (12 * size > std::size_t{1} << 30) GTEST_SKIP() << "the cache is too large for a test: chunks of " << size;
  base::Prng prng(2);
  const LargeStripe stripe(12, size);
  std::vector<ConstRegion> data;
  std::vector<Region> parity;
  for (std::size_t i = 0; i < 8; ++i) data.emplace_back(stripe.chunk(i), size);
  for (std::size_t i = 8; i < 12; ++i) parity.emplace_back(stripe.chunk(i), size);
  prng.fill(stripe.memory.data(), stripe.memory.size());
  for (const char* const text : {"rs(8,4)", "xrs(8,4)"}) {
    const Code code = parse(text);
    ASSERT_TRUE(code.encode(data, parity).has_value());
    ASSERT_NO_FATAL_FAILURE(check_samples(stripe, Oracle(text), prng)) << text;

    std::vector<ConstRegion> chunks = data;
    chunks.insert(chunks.end(), parity.begin(), parity.end());
    std::vector<Bytes> before;
    std::vector<IndexedRegion> wanted;
    for (const unsigned lost : {1u, 2u, 9u}) {
      before.emplace_back(stripe.chunk(lost), stripe.chunk(lost) + size);
      std::fill_n(stripe.chunk(lost), size, std::uint8_t{0});
      chunks[lost] = ConstRegion();
      wanted.push_back({lost, {stripe.chunk(lost), size}});
    }
    ASSERT_TRUE(code.reconstruct(chunks, wanted).has_value());
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_TRUE(std::equal(before[i].begin(), before[i].end(), wanted[i].region.data)) << text << " lost " << i;
  }
}

// ISA-L's ec_encode_data_update adds to what the output holds; ours must not depend on it.
TEST(Encode, OverwritesWhatTheOutputsHeld) {
  for (const char* const text : {"rs(4,3)", "xrs(4,3)", "lrc(4,2,1)", "cauchy_good(4,3,w=5)"}) {
    const Oracle oracle(text);
    base::Prng prng(3);
    const auto stripe = random_stripe(oracle, prng, 1000);
    for (const int filler : {0, 255, 0x5A}) {
      std::vector<Bytes> parity(3, Bytes(1000, static_cast<std::uint8_t>(filler)));
      ASSERT_TRUE(parse(text).encode(const_regions(data_of(oracle, stripe)), regions(parity)).has_value());
      EXPECT_TRUE(parity == parity_of(oracle, stripe)) << text << " over " << filler;
    }
  }
}

// gf-complete aborts when source and destination are not mutually aligned; here every buffer may lie anywhere.
TEST(Encode, TakesAnyAlignmentOfEveryBuffer) {
  const Oracle oracle("xrs(3,2)");
  const Code code = parse("xrs(3,2)");
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    const auto stripe = random_stripe(oracle, prng, 2 * (1 + prng.below(200)));
    const std::size_t size = stripe[0].size();
    std::vector<Bytes> places = random_chunks(prng, 5, size + 64);
    const auto before = places;
    std::vector<std::size_t> shifts;
    std::vector<ConstRegion> data;
    std::vector<Region> parity;
    for (std::size_t i = 0; i < 5; ++i) {
      shifts.push_back(prng.below(65));
      std::uint8_t* const at = places[i].data() + shifts[i];
      std::copy(stripe[i].begin(), stripe[i].end(), at);
      if (i < 3) data.emplace_back(at, size);
      if (i >= 3) {
        prng.fill(at, size);
        parity.emplace_back(at, size);
      }
    }
    ASSERT_TRUE(code.encode(data, parity).has_value());
    for (std::size_t i = 0; i < 5; ++i) {
      Bytes expected = before[i];
      std::copy(stripe[i].begin(), stripe[i].end(), expected.begin() + static_cast<std::ptrdiff_t>(shifts[i]));
      ASSERT_EQ(places[i], expected) << "seed " << seed << " chunk " << i;
    }
  }
}

}  // namespace
}  // namespace parapet::codec

// Reconstruction against the oracle: all patterns of small codes, random ones of large codes.
#include <gtest/gtest.h>

#include "base/test_seeds.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

/// Reconstructs `wanted` from `available` and compares; survivors must stay as they were.
void check_reconstruct(const Code& code, const std::vector<Bytes>& stripe, const ChunkSet& available,
                       const ChunkSet& wanted, base::Prng& prng) {
  SCOPED_TRACE(code.text() + " from " + to_text(available) + " wants " + to_text(wanted) + ", chunks of " +
               std::to_string(stripe[0].size()));
  std::vector<Bytes> given = stripe;
  for (unsigned i = 0; i < code.n(); ++i)
    if (!available.contains(i)) given[i] = random_bytes(prng, stripe[0].size());
  const std::vector<Bytes> before = given;
  std::vector<Bytes> outputs = random_chunks(prng, wanted.count(), stripe[0].size());
  std::vector<IndexedRegion> targets;
  for (const unsigned chunk : wanted)
    targets.push_back({chunk, Region(outputs[targets.size()].data(), stripe[0].size())});
  if (prng.below(2) == 0) std::reverse(targets.begin(), targets.end());
  const auto done = code.reconstruct(const_regions(given, available), targets);
  ASSERT_TRUE(done.has_value()) << done.error().message();
  std::size_t at = 0;
  for (const unsigned chunk : wanted) ASSERT_TRUE(outputs[at++] == stripe[chunk]) << "chunk " << chunk << " is wrong";
  ASSERT_TRUE(given == before) << "an input was changed";
}

class AllPatterns : public FamilyTest {};

TEST_P(AllPatterns, EveryLossIsReconstructed) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(1);
    for_each_loss(oracle, [&](const ChunkSet& lost) {
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      const ChunkSet available = all_chunks(oracle) - lost;
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, lost, prng));
      if (lost.count() == 1) return;
      const ChunkSet some = random_subset(prng, lost, 1 + prng.below(lost.count() - 1));
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, some, prng));
    });
  });
}

TEST_P(AllPatterns, EverySubsetOfALossIsReconstructed) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    if (oracle.n() > 7) return;  // Larger codes have too many; the test above takes random subsets.
    base::Prng prng(2);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 6));
    for_each_loss(oracle, [&](const ChunkSet& lost) {
      for_each_loss(oracle, [&](const ChunkSet& wanted) {
        if (!(wanted - lost).empty()) return;
        ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, wanted, prng));
      });
    });
  });
}

TEST_P(AllPatterns, DecodableAgreesWithTheRank) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    const bool all = oracle.n() <= 10;
    base::Prng prng(3);
    for (unsigned round = 0; round < (all ? 1u << oracle.n() : 500u); ++round) {
      ChunkSet available;
      for (unsigned i = 0; i < oracle.n(); ++i)
        if (all ? (round >> i & 1) != 0 : prng.below(4) != 0) available.insert(i);
      ASSERT_EQ(code.decodable(available), oracle.decodable(available)) << to_text(available);
    }
  });
}

TEST_P(AllPatterns, TheOracleDecodesWhatItEncoded) {
  for_each_code([&](const Oracle& oracle, const Code&) {
    base::Prng prng(4);
    for (int round = 0; round < 20; ++round) {
      const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 4));
      const auto decoded = oracle.decode(stripe, all_chunks(oracle) - random_loss(prng, oracle, oracle.m()));
      ASSERT_TRUE(decoded == stripe);
    }
  });
}

// Beyond what is decodable: chunks that follow nevertheless come back, as from a local group; others are an error.
TEST_P(AllPatterns, WhatDoesNotFollowIsAnErrorAndWritesNothing) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(5);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 8));
    const std::size_t size = stripe[0].size();
    for (unsigned available_count = 1; available_count < oracle.n(); ++available_count)
      for (int round = 0; round < (available_count < oracle.k() ? 10 : 3); ++round) {
        const ChunkSet available = random_subset(prng, all_chunks(oracle), available_count);
        const unsigned chunk = *random_subset(prng, all_chunks(oracle) - available, 1).begin();
        const Bytes before = random_bytes(prng, size);
        Bytes output = before;
        const IndexedRegion target{chunk, Region(output.data(), size)};
        const auto done = code.reconstruct(const_regions(stripe, available), {&target, 1});
        ASSERT_EQ(done.has_value(), oracle.determines(available, chunk)) << chunk << " from " << to_text(available);
        EXPECT_EQ(output, done.has_value() ? stripe[chunk] : before);
        if (!done.has_value()) {
          EXPECT_EQ(done.error().code, ErrorCode::too_many_losses);
        }
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, AllPatterns, testing::ValuesIn(by_family(tiny_codes, small_codes)), family_name);

class LargeCodes : public FamilyTest {};

TEST_P(LargeCodes, RandomLossesAreReconstructed) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(4); ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      base::Prng prng(seed);
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      const std::size_t lost_count = seed == 0 ? oracle.m() : 1 + prng.below(oracle.m());
      const ChunkSet lost = random_loss(prng, oracle, lost_count);
      const ChunkSet available = all_chunks(oracle) - lost;
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, lost, prng));
      const ChunkSet some = random_subset(prng, lost, 1 + prng.below(lost.count()));
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, some, prng));
    }
  });
}

TEST_P(LargeCodes, RandomSingleLossesAreReconstructed) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(7);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 154));
    for (int round = 0; round < 10; ++round) {
      const ChunkSet lost = random_subset(prng, all_chunks(oracle), 1);
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, lost, prng));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, LargeCodes, testing::ValuesIn(by_family(large_codes)), family_name);

// Stretches of the codec's programs, columns of the streaming kernels and the cache all end somewhere in these.
TEST(LargeChunks, EveryKindOfLossIsReconstructed) {
  for (const char* const text : {"rs(4,2)", "xrs(4,3)", "hitchhiker(3,3)", "lrc(4,2,1)", "rdp(4,2)", "evenodd(3,2)",
                                 "cauchy_good(3,2,w=4)", "liberation(3,2,packetsize=4104)"}) {
    const Oracle oracle(text);
    const Code code = parse(text);
    base::Prng prng(8);
    for (const std::size_t about : {4094u, 4098u, 8192u, 24'594u, 65'602u}) {
      const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, about));
      for_each_loss(oracle, [&](const ChunkSet& lost) {
        if (lost.count() > 1 && prng.below(4) != 0) return;
        ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, lost, prng));
      });
    }
  }
}

}  // namespace
}  // namespace parapet::codec

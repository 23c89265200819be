// Reconstruction against the oracle: all patterns of small codes, random ones of large codes.
#include <gtest/gtest.h>

#include "base/test_seeds.h"
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

class AllPatterns : public testing::TestWithParam<const char*> {};

TEST_P(AllPatterns, EveryLossIsReconstructed) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(1);
  for_each_loss(oracle, [&](const ChunkSet& lost) {
    const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
    const ChunkSet available = all_chunks(oracle) - lost;
    ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, lost, prng));
    if (lost.count() == 1) return;
    const ChunkSet some = random_subset(prng, lost, 1 + prng.below(lost.count() - 1));
    ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, some, prng));
  });
}

TEST_P(AllPatterns, EverySubsetOfALossIsReconstructed) {
  const Oracle oracle(GetParam());
  if (oracle.n() > 8) return;  // Larger codes have too many; the test above takes random subsets.
  const Code code = parse(GetParam());
  base::Prng prng(2);
  const auto stripe = random_stripe(oracle, prng, 6);
  for_each_loss(oracle, [&](const ChunkSet& lost) {
    for_each_loss(oracle, [&](const ChunkSet& wanted) {
      if (!(wanted - lost).empty()) return;
      ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, wanted, prng));
    });
  });
}

TEST_P(AllPatterns, DecodableAgreesWithTheRank) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  const bool all = oracle.n() <= 10;
  base::Prng prng(3);
  for (unsigned round = 0; round < (all ? 1u << oracle.n() : 500u); ++round) {
    ChunkSet available;
    for (unsigned i = 0; i < oracle.n(); ++i)
      if (all ? (round >> i & 1) != 0 : prng.below(4) != 0) available.insert(i);
    ASSERT_EQ(code.decodable(available), oracle.decodable(available)) << to_text(available);
  }
}

TEST_P(AllPatterns, TheOracleDecodesWhatItEncoded) {
  const Oracle oracle(GetParam());
  base::Prng prng(4);
  for (int round = 0; round < 50; ++round) {
    const auto stripe = random_stripe(oracle, prng, 4);
    const auto decoded = oracle.decode(stripe, random_subset(prng, all_chunks(oracle), oracle.k()));
    ASSERT_TRUE(decoded == stripe);
  }
}

TEST_P(AllPatterns, MoreThanMLossesAreAnErrorAndWriteNothing) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(5);
  const auto stripe = random_stripe(oracle, prng, 8);
  for (unsigned available_count = 1; available_count < oracle.k(); ++available_count)
    for (int round = 0; round < 20; ++round) {
      const ChunkSet available = random_subset(prng, all_chunks(oracle), available_count);
      const unsigned chunk = *random_subset(prng, all_chunks(oracle) - available, 1).begin();
      const Bytes before = random_bytes(prng, 8);
      Bytes output = before;
      const IndexedRegion target{chunk, Region(output.data(), 8)};
      const auto done = code.reconstruct(const_regions(stripe, available), {&target, 1});
      ASSERT_FALSE(done.has_value()) << to_text(available);
      EXPECT_EQ(done.error().code, ErrorCode::too_many_losses);
      EXPECT_EQ(output, before);
    }
}

INSTANTIATE_TEST_SUITE_P(Codes, AllPatterns,
                         testing::Values("rs(1,1)", "rs(4,1)", "rs(13,1)", "rs(1,4)", "rs(1,13)", "rs(4,2)", "rs(3,5)",
                                         "rs(10,4)", "rs(7,7)", "rs(5,9)", "rs(4,4,matrix=isal)",
                                         "rs(11,3,matrix=isal)", "rs(10,4,matrix=isal)", "rs(5,5,matrix=isal)",
                                         "rs(3,9,matrix=isal)", "rs(4,1,matrix=jerasure)", "rs(1,4,matrix=jerasure)",
                                         "rs(4,3,matrix=jerasure)", "rs(8,6,matrix=jerasure)",
                                         "rs(10,4,matrix=jerasure)", "rs(4,1,matrix=vandermonde)",
                                         "rs(1,4,matrix=vandermonde)", "rs(3,5,matrix=vandermonde)",
                                         "rs(10,4,matrix=vandermonde)", "rs(6,8,matrix=vandermonde)", "xrs(1,2)",
                                         "xrs(2,2)", "xrs(2,4)", "xrs(1,5)", "xrs(4,2)", "xrs(4,3)", "xrs(3,5)",
                                         "xrs(6,3)", "xrs(12,2)", "xrs(8,4)", "xrs(10,4)", "xrs(7,7)", "xrs(3,11)"),
                         test_name);

class LargeCodes : public testing::TestWithParam<const char*> {};

TEST_P(LargeCodes, RandomLossesAreReconstructed) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  for (std::uint64_t seed = 0; seed < base::seed_count(4); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::Prng prng(seed);
    const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
    const std::size_t lost_count = seed == 0 ? oracle.m() : 1 + prng.below(oracle.m());
    const ChunkSet lost = random_subset(prng, all_chunks(oracle), lost_count);
    const ChunkSet available = all_chunks(oracle) - lost;
    ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, lost, prng));
    const ChunkSet some = random_subset(prng, lost, 1 + prng.below(lost.count()));
    ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, available, some, prng));
  }
}

TEST_P(LargeCodes, RandomSingleLossesAreReconstructed) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(7);
  const auto stripe = random_stripe(oracle, prng, 2 * 77);
  for (int round = 0; round < 10; ++round) {
    const ChunkSet lost = random_subset(prng, all_chunks(oracle), 1);
    ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, lost, prng));
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, LargeCodes,
                         testing::Values("rs(12,4)", "rs(20,5)", "rs(20,4,matrix=isal)", "rs(64,16)", "rs(255,1)",
                                         "rs(1,255)", "rs(253,3,matrix=isal)", "rs(200,56)", "rs(128,128)",
                                         "rs(100,156,matrix=vandermonde)", "rs(150,106,matrix=jerasure)",
                                         "rs(255,1,matrix=jerasure)", "rs(1,255,matrix=vandermonde)", "xrs(12,4)",
                                         "xrs(20,5)", "xrs(28,4)", "xrs(60,4)", "xrs(254,2)", "xrs(1,255)",
                                         "xrs(100,60)", "xrs(60,150)"),
                         test_name);

// Stretches of the codec's programs, columns of the streaming kernels and the cache all end somewhere in these.
TEST(LargeChunks, EveryKindOfLossIsReconstructed) {
  for (const char* const text : {"rs(4,2)", "xrs(4,3)"}) {
    const Oracle oracle(text);
    const Code code = parse(text);
    base::Prng prng(8);
    for (const std::size_t chunk_size : {4094u, 4098u, 8192u, 24'594u, 65'602u}) {
      const auto stripe = random_stripe(oracle, prng, chunk_size);
      for_each_loss(oracle, [&](const ChunkSet& lost) {
        if (lost.count() > 1 && prng.below(4) != 0) return;
        ASSERT_NO_FATAL_FAILURE(check_reconstruct(code, stripe, all_chunks(oracle) - lost, lost, prng));
      });
    }
  }
}

}  // namespace
}  // namespace parapet::codec

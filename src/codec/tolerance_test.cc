// What codes bear, by trying every loss.
#include "codec/tolerance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/combinations.h"
#include "codec/families.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

/// Calls check(lost) for every loss of `count` of n chunks.
template <class Check>
void for_each_pattern(unsigned n, unsigned count, Check check) {
  auto chosen = base::first_combination(count);
  do {
    ChunkSet lost;
    for (const unsigned chunk : chosen) lost.insert(chunk);
    check(lost);
    if (testing::Test::HasFatalFailure()) return;
  } while (base::next_combination(chosen, n));
}

/// How many losses of `count` chunks are not decodable, by rank. The code has to agree on each.
unsigned count_undecodable(const Code& code, const Oracle& oracle, unsigned count) {
  unsigned undecodable = 0;
  for_each_pattern(code.n(), count, [&](const ChunkSet& lost) {
    const ChunkSet available = ChunkSet::range(0, code.n()) - lost;
    const bool decodable = oracle.decodable(available);
    ASSERT_EQ(code.decodable(available), decodable) << code.text() << " without " << to_text(lost);
    undecodable += decodable ? 0 : 1;
  });
  return undecodable;
}

constexpr const char* further_codes[] = {"rs(12,2,matrix=isal)",
                                         "rs(10,4,matrix=isal)",
                                         "rs(10,4,matrix=jerasure)",
                                         "rs(11,3,matrix=par1)",
                                         "rs(3,10,matrix=par1,unsafe=yes)",
                                         "xrs(8,4)",
                                         "hitchhiker(8,4)",
                                         "lrc(9,3,2)",
                                         "lrc(8,2,3,groups=uniform)",
                                         "clay(8,2)",
                                         "clay(9,3)",
                                         "clay(6,4)",
                                         "rdp(7,2)",
                                         "evenodd(8,2)",
                                         "cauchy_orig(9,5,w=4)",
                                         "cauchy_good(10,4)",
                                         "cauchy_good(5,3,w=3,packetsize=8)",
                                         "liberation(11,2)",
                                         "liberation(5,2,w=11)",
                                         "blaum_roth(12,2)",
                                         "blaum_roth(7,2,w=7,unsafe=yes)",
                                         "blaum_roth(6,2,w=8,unsafe=yes)",
                                         "liber8tion(6,2)"};

class Tolerance : public FamilyTest {};

TEST_P(Tolerance, EveryLossOfSoManyIsDecodableAndNotOfMore) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    ASSERT_LE(code.n(), 14u);
    EXPECT_EQ(code.tolerance() == code.m(), oracle.is_mds());
    for (unsigned count = 0; count <= code.tolerance(); ++count)
      EXPECT_EQ(count_undecodable(code, oracle, count), 0u) << "losses of " << count;
    EXPECT_GT(count_undecodable(code, oracle, code.tolerance() + 1), 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, Tolerance, testing::ValuesIn(by_family(tiny_codes, small_codes, further_codes)),
                         family_name);

TEST(ToleranceOfCodes, EveryFamilyIsTried) {
  for (const Family& family : families())
    EXPECT_TRUE(std::ranges::any_of(joined(tiny_codes, small_codes, further_codes), [&](const char* text) {
      return std::string(text).starts_with(std::string(family.name) + "(");
    })) << family.name;
}

/// Losses that no code with these groups could bear: each group makes good one chunk of its own, the g global parities
/// g more. `groups`: all chunks of each group, with its local parity.
bool is_hopeless(const ChunkSet& lost, const std::vector<ChunkSet>& groups, unsigned g) {
  std::size_t rest = lost.count();
  for (const ChunkSet& group : groups) rest -= (lost & group).empty() ? 0 : 1;
  return rest > g;
}

// Huang et al., ATC 2012, section 2.2: LRC(12,2,2) decodes 86 % of the losses of four, which is all that can be.
TEST(Lrc, Azure12_2_2BearsAllThatCanBeBorne) {
  const Oracle oracle("lrc(12,2,2)");
  const Code code = parse("lrc(12,2,2)");
  const std::vector<ChunkSet> groups = {ChunkSet::range(0, 6) | ChunkSet{12}, ChunkSet::range(6, 12) | ChunkSet{13}};
  unsigned hopeless = 0;
  for_each_pattern(16, 4, [&](const ChunkSet& lost) { hopeless += is_hopeless(lost, groups, 2) ? 1 : 0; });
  EXPECT_EQ(hopeless, 252u);  // all four among the 7 chunks of one group and the two global parities: 2 * (9 over 4)
  EXPECT_EQ(count_undecodable(code, oracle, 4), 252u);
  EXPECT_EQ(count_undecodable(code, oracle, 3), 0u);
  EXPECT_NEAR(1 - 252 / 1820.0, 0.86, 0.005);
}

/// Whether the code bears every loss but the hopeless ones.
void expect_all_that_can_be_borne(const char* text, const std::vector<ChunkSet>& groups, unsigned g) {
  const Oracle oracle(text);
  const Code code = parse(text);
  for (unsigned count = 1; count <= oracle.m(); ++count)
    for_each_pattern(code.n(), count, [&](const ChunkSet& lost) {
      const ChunkSet available = ChunkSet::range(0, code.n()) - lost;
      ASSERT_EQ(code.decodable(available), !is_hopeless(lost, groups, g)) << text << " without " << to_text(lost);
      ASSERT_EQ(oracle.decodable(available), code.decodable(available)) << text << " without " << to_text(lost);
    });
}

// With one or two global parities the coefficients bear all that can be borne, whatever the number of losses.
TEST(Lrc, UpToTwoGlobalParitiesBearAllThatCanBeBorne) {
  expect_all_that_can_be_borne("lrc(4,2,1)", {{0, 1, 4}, {2, 3, 5}}, 1);
  expect_all_that_can_be_borne("lrc(4,2,2)", {{0, 1, 4}, {2, 3, 5}}, 2);
  expect_all_that_can_be_borne("lrc(5,2,2)", {{0, 1, 2, 5}, {3, 4, 6}}, 2);
  expect_all_that_can_be_borne("lrc(6,3,1)", {{0, 1, 6}, {2, 3, 7}, {4, 5, 8}}, 1);
  expect_all_that_can_be_borne("lrc(6,3,2)", {{0, 1, 6}, {2, 3, 7}, {4, 5, 8}}, 2);
  expect_all_that_can_be_borne("lrc(8,2,2)", {{0, 1, 2, 3, 8}, {4, 5, 6, 7, 9}}, 2);
  expect_all_that_can_be_borne("lrc(10,2,2)", {{0, 1, 2, 3, 4, 10}, {5, 6, 7, 8, 9, 11}}, 2);
}

TEST(CountPatterns, CountsThoseThatTheChecksDoNotDetermine) {
  SparseMatrix parity(4);  // one check over four chunks: any one loss is borne
  parity.add_row({{0, 1}, {1, 1}, {2, 1}, {3, 1}});
  EXPECT_TRUE(bears(parity, 1, {}));
  EXPECT_TRUE(bears(parity, 1, {2}));
  EXPECT_FALSE(bears(parity, 1, {0, 2}));
  EXPECT_EQ(count_patterns(parity, 1, 4, 1)->all, 4u);
  EXPECT_EQ(count_patterns(parity, 1, 4, 1)->lost, 0u);
  EXPECT_EQ(count_patterns(parity, 1, 4, 2)->all, 6u);
  EXPECT_EQ(count_patterns(parity, 1, 4, 2)->lost, 6u);
  parity.add_row({{0, 1}, {1, 2}, {2, 3}});  // chunk 3 is not in it
  EXPECT_EQ(count_patterns(parity, 1, 4, 2)->lost, 0u);
  parity = SparseMatrix(6);  // two sub-chunks each, with a check that misses one
  parity.add_row({{0, 1}, {2, 1}, {4, 1}});
  parity.add_row({{1, 1}, {3, 1}});
  EXPECT_EQ(count_patterns(parity, 2, 3, 1)->lost, 1u);
  EXPECT_FALSE(bears(parity, 2, {2}));
}

TEST(CountPatterns, GivesUpWhereItWouldTakeTooLong) {
  const SparseMatrix checks(256);
  EXPECT_TRUE(count_patterns(checks, 1, 256, 2).has_value());
  EXPECT_FALSE(count_patterns(checks, 1, 256, 3).has_value());
}

}  // namespace
}  // namespace parapet::codec

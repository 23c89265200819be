// Plans: what they read is enough, is no more than promised, and nothing else is touched.
#include <gtest/gtest.h>

#include "base/test_seeds.h"
#include "codec/plan_check.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

class PlanTest : public FamilyTest {};

TEST_P(PlanTest, RepairReadsEnoughAndNoMoreThanKChunks) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(1);
    for_each_loss(oracle, [&](const ChunkSet& lost) {
      if (oracle.n() > 8 && lost.count() > 2 && prng.below(16) != 0) return;
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      const ChunkSet available = all_chunks(oracle) - lost;
      const ChunkSet wanted = random_subset(prng, lost, 1 + prng.below(lost.count()));
      const auto goal = prng.below(2) == 0 ? RepairGoal::fewest_bytes : RepairGoal::fewest_chunks;
      SCOPED_TRACE("lost " + to_text(lost) + " wanted " + to_text(wanted));
      const auto plan = code.plan_repair(available, wanted, stripe[0].size(), goal);
      ASSERT_TRUE(plan.has_value()) << plan.error().message();
      ASSERT_LE(plan->bytes_read(), oracle.k() * stripe[0].size());
      ASSERT_NO_FATAL_FAILURE(check_repair(*plan, stripe, available, wanted, prng));
    });
  });
}

// Beyond what is decodable a plan may still be possible, as in a local group; and parts of chunks may follow where the
// whole does not.
TEST_P(PlanTest, WhatDoesNotFollowIsAnError) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(2);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 64));
    const std::size_t size = stripe[0].size();
    for (unsigned available_count = 0; available_count < oracle.n(); ++available_count) {
      const ChunkSet available = random_subset(prng, all_chunks(oracle), available_count);
      const unsigned chunk = *random_subset(prng, all_chunks(oracle) - available, 1).begin();
      SCOPED_TRACE(std::to_string(chunk) + " from " + to_text(available));
      const auto plan = code.plan_repair(available, {chunk}, size);
      ASSERT_EQ(plan.has_value(), oracle.determines(available, chunk));
      if (plan.has_value()) {
        ASSERT_NO_FATAL_FAILURE(check_repair(*plan, stripe, available, {chunk}, prng));
      }
      if (!plan.has_value()) {
        EXPECT_EQ(plan.error().code, ErrorCode::too_many_losses);
      }
      const std::size_t offset = prng.below(size);  // one byte, of one sub-chunk
      const std::size_t packet = oracle.packet_size(size);
      const auto read = code.plan_read(available, {chunk, offset, 1}, size);
      ASSERT_EQ(read.has_value(),
                oracle.determines(available, chunk, static_cast<unsigned>(offset / packet % oracle.alpha())));
      if (read.has_value()) {
        ASSERT_NO_FATAL_FAILURE(check_run(*read, stripe, prng));
      }
      if (!read.has_value()) {
        EXPECT_EQ(read.error().code, ErrorCode::too_many_losses);
      }
    }
  });
}

/// Whether each sub-chunk of the first parity is made from the same sub-chunk of the data.
bool has_plain_parity(const Oracle& oracle) {
  const unsigned alpha = oracle.alpha();
  for (unsigned sub = 0; sub < alpha; ++sub)
    for (unsigned column = 0; column < oracle.k() * alpha; ++column)
      if (column % alpha != sub && oracle.generator()[sub][column] != 0) return false;
  return true;
}

/// Plans and runs one degraded read.
void check_read(const Code& code, const Oracle& oracle, const std::vector<Bytes>& stripe, const ChunkSet& available,
                const ChunkRange& range, base::Prng& prng) {
  SCOPED_TRACE(code.text() + " from " + to_text(available) + " chunk " + std::to_string(range.chunk) + " of " +
               std::to_string(stripe[0].size()) + ": " + std::to_string(range.length) + " bytes at " +
               std::to_string(range.offset));
  const auto plan = code.plan_read(available, range, stripe[0].size());
  ASSERT_TRUE(plan.has_value()) << plan.error().message();
  ASSERT_EQ(plan->outputs().size(), 1u);
  ASSERT_EQ(plan->outputs()[0], range);
  ASSERT_NO_FATAL_FAILURE(check_reads(*plan, available, stripe[0].size()));
  ASSERT_LE(plan->bytes_read(), code.k() * stripe[0].size()) << "more than the whole chunk would cost";
  const bool others_are_there = available.count() + 1 == code.n();
  if (range.chunk <= code.k() && others_are_there && has_plain_parity(oracle)) {
    ASSERT_LE(plan->bytes_read(), code.k() * range.length) << "more than plain parity needs";
  }
  ASSERT_NO_FATAL_FAILURE(check_run(*plan, stripe, prng));
}

/// Reads a range of a lost chunk when all others are there, and when some are not.
void check_reads_of(const Code& code, const Oracle& oracle, const std::vector<Bytes>& stripe, const ChunkRange& range,
                    base::Prng& prng) {
  ChunkSet available = all_chunks(oracle) - ChunkSet{range.chunk};
  ASSERT_NO_FATAL_FAILURE(check_read(code, oracle, stripe, available, range, prng));
  available = available - random_subset(prng, available, prng.below(oracle.m()));
  if (!oracle.determines(available, range.chunk)) return;
  ASSERT_NO_FATAL_FAILURE(check_read(code, oracle, stripe, available, range, prng));
}

TEST_P(PlanTest, EveryRangeOfSmallChunksIsRead) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(3);
    const std::size_t size = chunk_size_from(oracle, oracle.n() > 8 ? 6 : 12 + prng.below(13));
    const bool all = size * size * oracle.n() < 1'500;  // else some
    const auto stripe = random_stripe(oracle, prng, size);
    for (unsigned lost = 0; all && lost < oracle.n(); ++lost)
      for (std::size_t offset = 0; offset < size; ++offset)
        for (std::size_t length = 1; length <= size - offset; ++length)
          ASSERT_NO_FATAL_FAILURE(check_reads_of(code, oracle, stripe, {lost, offset, length}, prng));
    for (int round = 0; !all && round < 400 / (1 + static_cast<int>(oracle.alpha())); ++round) {
      const std::size_t offset = prng.below(size);
      const auto lost = static_cast<unsigned>(prng.below(oracle.n()));
      const ChunkRange range{lost, offset, 1 + prng.below(size - offset)};
      ASSERT_NO_FATAL_FAILURE(check_reads_of(code, oracle, stripe, range, prng));
    }
  });
}

TEST_P(PlanTest, RandomRangesOfLargeChunksAreRead) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(4);
    const std::size_t size = chunk_size_from(oracle, 10'000);
    const auto stripe = random_stripe(oracle, prng, size);
    for (std::uint64_t round = 0; round < base::seed_count(10); ++round) {
      const ChunkSet lost = random_loss(prng, oracle, 1 + prng.below(oracle.m()));
      const std::size_t offset = prng.below(size);
      const std::size_t length =
          1 + prng.below(prng.below(2) == 0 ? std::min<std::size_t>(100, size - offset) : size - offset);
      const unsigned chunk = *random_subset(prng, lost, 1).begin();
      ASSERT_NO_FATAL_FAILURE(
          check_read(code, oracle, stripe, all_chunks(oracle) - lost, {chunk, offset, length}, prng));
    }
  });
}

TEST_P(PlanTest, ReadingAWholeChunkCostsWhatItsRepairCosts) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    const std::size_t size = chunk_size_from(oracle, 50);
    for (unsigned lost = 0; lost < oracle.n(); ++lost)
      for (const RepairGoal goal : {RepairGoal::fewest_bytes, RepairGoal::fewest_chunks}) {
        const ChunkSet available = all_chunks(oracle) - ChunkSet{lost};
        const auto read = code.plan_read(available, {lost, 0, size}, size, goal);
        const auto repair = code.plan_repair(available, {lost}, size, goal);
        ASSERT_TRUE(read.has_value() && repair.has_value());
        EXPECT_EQ(read->cost(), repair->cost()) << "chunk " << lost;
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Codes, PlanTest, testing::ValuesIn(by_family(tiny_codes, small_codes)), family_name);

// A plan stays usable when the code that made it is gone, and on several stripes.
TEST(Plan, OutlivesItsCode) {
  const Oracle oracle("xrs(4,2)");
  base::Prng prng(5);
  const auto plan = parse("xrs(4,2)").plan_repair({0, 2, 3, 4, 5}, {1}, 20);
  ASSERT_TRUE(plan.has_value());
  const Plan copy = *plan;
  for (int stripe = 0; stripe < 3; ++stripe)
    ASSERT_NO_FATAL_FAILURE(check_run(copy, random_stripe(oracle, prng, 20), prng));
}

// No buffer is made for a plan, so the size may be any.
TEST(Plan, TakesTheLargestChunkSizes) {
  const std::size_t huge = ~std::size_t{0} - 1;
  const auto repair = parse("xrs(4,2)").plan_repair({0, 2, 3, 4, 5}, {1}, huge);
  ASSERT_TRUE(repair.has_value());
  EXPECT_EQ(repair->outputs()[0], (ChunkRange{1, 0, huge}));
  const auto read = parse("xrs(4,2)").plan_read({0, 2, 3, 4, 5}, {1, huge - 1, 1}, huge);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->bytes_read(), 4u);
  for (const ChunkRange& range : read->reads()) EXPECT_EQ(range.offset, huge - 1);
}

}  // namespace
}  // namespace parapet::codec

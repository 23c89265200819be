// Plans: what they read is enough, is no more than promised, and nothing else is touched.
#include <gtest/gtest.h>

#include "base/test_seeds.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

Bytes part(const Bytes& chunk, const ChunkRange& range) {
  const auto from = chunk.begin() + static_cast<std::ptrdiff_t>(range.offset);
  return {from, from + static_cast<std::ptrdiff_t>(range.length)};
}

/// The promises about the ranges that a plan reads.
void check_reads(const Plan& plan, const ChunkSet& available, std::size_t chunk_size) {
  ChunkSet chunks;
  std::size_t total = 0;
  for (std::size_t i = 0; i < plan.reads().size(); ++i) {
    const ChunkRange& range = plan.reads()[i];
    ASSERT_TRUE(available.contains(range.chunk)) << "reads lost chunk " << range.chunk;
    ASSERT_GT(range.length, 0u);
    ASSERT_LE(range.offset, chunk_size);
    ASSERT_LE(range.length, chunk_size - range.offset);
    chunks.insert(range.chunk);
    total += range.length;
    if (i == 0) continue;
    const ChunkRange& last = plan.reads()[i - 1];
    ASSERT_TRUE(last.chunk < range.chunk || (last.chunk == range.chunk && last.offset + last.length < range.offset))
        << "ranges must ascend and not touch";
  }
  EXPECT_EQ(plan.chunks_read(), chunks);
  EXPECT_EQ(plan.bytes_read(), total);
}

/// Runs the plan on nothing but copies of the ranges that it asks for, and compares with the stripe.
void check_run(const Plan& plan, const std::vector<Bytes>& stripe, base::Prng& prng) {
  std::vector<Bytes> inputs, outputs;
  for (const ChunkRange& range : plan.reads()) inputs.push_back(part(stripe[range.chunk], range));
  for (const ChunkRange& range : plan.outputs()) outputs.push_back(random_bytes(prng, range.length));
  const auto before = inputs;
  const auto done = plan.run(const_regions(inputs), regions(outputs));
  ASSERT_TRUE(done.has_value()) << done.error().message();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    ASSERT_EQ(outputs[i], part(stripe[plan.outputs()[i].chunk], plan.outputs()[i]));
  ASSERT_TRUE(inputs == before) << "an input was changed";
}

class PlanTest : public testing::TestWithParam<const char*> {};

TEST_P(PlanTest, RepairReadsEnoughAndNoMoreThanKChunks) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(1);
  for_each_loss(oracle, [&](const ChunkSet& lost) {
    if (oracle.n() > 10 && lost.count() > 2 && prng.below(8) != 0) return;
    const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
    const ChunkSet available = all_chunks(oracle) - lost;
    const ChunkSet wanted = random_subset(prng, lost, 1 + prng.below(lost.count()));
    SCOPED_TRACE("lost " + to_text(lost) + " wanted " + to_text(wanted));
    const auto plan = code.plan_repair(available, wanted, stripe[0].size());
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    ASSERT_EQ(plan->outputs().size(), wanted.count());
    std::size_t at = 0;
    for (const unsigned chunk : wanted) ASSERT_EQ(plan->outputs()[at++], (ChunkRange{chunk, 0, stripe[0].size()}));
    ASSERT_NO_FATAL_FAILURE(check_reads(*plan, available, stripe[0].size()));
    ASSERT_LE(plan->bytes_read(), oracle.k() * stripe[0].size());
    ASSERT_NO_FATAL_FAILURE(check_run(*plan, stripe, prng));
  });
}

// One lost data chunk of XRS costs (k + |group|) / 2 chunks where all others are there.
TEST_P(PlanTest, SingleDataLossesReadTheReducedSet) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  for (unsigned lost = 0; lost < oracle.k(); ++lost) {
    std::size_t halves = 2 * oracle.k();
    for (unsigned row = 0; row < oracle.m(); ++row) {
      const auto group = oracle.group(row);
      if (std::find(group.begin(), group.end(), lost) != group.end()) halves = oracle.k() + group.size();
    }
    const auto plan = code.plan_repair(all_chunks(oracle) - ChunkSet{lost}, {lost}, 100);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->bytes_read(), 50 * halves) << "chunk " << lost;
  }
}

TEST_P(PlanTest, RepairOfTooManyLossesIsAnError) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(2);
  for (unsigned available_count = 0; available_count < oracle.k(); ++available_count) {
    const ChunkSet available = random_subset(prng, all_chunks(oracle), available_count);
    const ChunkSet wanted = random_subset(prng, all_chunks(oracle) - available, 1);
    const auto plan = code.plan_repair(available, wanted, 64);
    ASSERT_FALSE(plan.has_value()) << to_text(available);
    EXPECT_EQ(plan.error().code, ErrorCode::too_many_losses);
    const auto read = code.plan_read(available, {*wanted.begin(), 1, 3}, 64);
    ASSERT_FALSE(read.has_value()) << to_text(available);
    EXPECT_EQ(read.error().code, ErrorCode::too_many_losses);
  }
}

/// Plans and runs one degraded read.
void check_read(const Code& code, const std::vector<Bytes>& stripe, const ChunkSet& available, const ChunkRange& range,
                base::Prng& prng) {
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
  if (range.chunk <= code.k() && others_are_there) {
    ASSERT_LE(plan->bytes_read(), code.k() * range.length) << "more than plain Reed-Solomon reads";
  }
  ASSERT_NO_FATAL_FAILURE(check_run(*plan, stripe, prng));
}

TEST_P(PlanTest, EveryRangeOfSmallChunksIsRead) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(3);
  const std::size_t size = oracle.n() > 8 ? 16 : 2 * (8 + prng.below(13));
  const auto stripe = random_stripe(oracle, prng, size);
  for (unsigned lost = 0; lost < oracle.n(); ++lost)
    for (std::size_t offset = 0; offset < size; ++offset)
      for (std::size_t length = 1; length <= size - offset; ++length) {
        ChunkSet available = all_chunks(oracle) - ChunkSet{lost};
        ASSERT_NO_FATAL_FAILURE(check_read(code, stripe, available, {lost, offset, length}, prng));
        available = available - random_subset(prng, available, prng.below(oracle.m()));
        ASSERT_NO_FATAL_FAILURE(check_read(code, stripe, available, {lost, offset, length}, prng));
      }
}

TEST_P(PlanTest, RandomRangesOfLargeChunksAreRead) {
  const Oracle oracle(GetParam());
  const Code code = parse(GetParam());
  base::Prng prng(4);
  const std::size_t size = 30'000;
  const auto stripe = random_stripe(oracle, prng, size);
  for (std::uint64_t round = 0; round < base::seed_count(40); ++round) {
    const ChunkSet lost = random_subset(prng, all_chunks(oracle), 1 + prng.below(oracle.m()));
    const std::size_t offset = prng.below(size);
    const std::size_t length =
        1 + prng.below(prng.below(2) == 0 ? std::min<std::size_t>(100, size - offset) : size - offset);
    const unsigned chunk = *random_subset(prng, lost, 1).begin();
    ASSERT_NO_FATAL_FAILURE(check_read(code, stripe, all_chunks(oracle) - lost, {chunk, offset, length}, prng));
  }
}

INSTANTIATE_TEST_SUITE_P(Codes, PlanTest,
                         testing::Values("rs(1,1)", "rs(1,3)", "rs(4,2)", "rs(3,3,matrix=jerasure)",
                                         "rs(4,3,matrix=vandermonde)", "rs(10,4)", "xrs(1,2)", "xrs(2,2)", "xrs(2,4)",
                                         "xrs(4,2)", "xrs(3,3)", "xrs(6,3)", "xrs(5,4)", "xrs(10,4)"),
                         test_name);

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

// For tests: what every plan promises.
#pragma once

#include <gtest/gtest.h>

#include "codec/test_stripe.h"

namespace parapet::codec {

inline Bytes part(const Bytes& chunk, const ChunkRange& range) {
  const auto from = chunk.begin() + static_cast<std::ptrdiff_t>(range.offset);
  return {from, from + static_cast<std::ptrdiff_t>(range.length)};
}

/// The promises about the ranges that a plan reads.
inline void check_reads(const Plan& plan, const ChunkSet& available, std::size_t chunk_size) {
  PlanCost cost{0, plan.reads().size(), 0};
  ChunkSet chunks;
  for (std::size_t i = 0; i < plan.reads().size(); ++i) {
    const ChunkRange& range = plan.reads()[i];
    ASSERT_TRUE(available.contains(range.chunk)) << "reads lost chunk " << range.chunk;
    ASSERT_GT(range.length, 0u);
    ASSERT_LE(range.offset, chunk_size);
    ASSERT_LE(range.length, chunk_size - range.offset);
    chunks.insert(range.chunk);
    cost.bytes += range.length;
    if (i == 0) continue;
    const ChunkRange& last = plan.reads()[i - 1];
    ASSERT_TRUE(last.chunk < range.chunk || (last.chunk == range.chunk && last.offset + last.length < range.offset))
        << "ranges must ascend and not touch";
  }
  cost.chunks = chunks.count();
  EXPECT_EQ(plan.chunks_read(), chunks);
  EXPECT_EQ(plan.bytes_read(), cost.bytes);
  EXPECT_EQ(plan.cost(), cost);
}

/// Runs the plan on nothing but copies of the ranges that it asks for, and compares with the stripe.
inline void check_run(const Plan& plan, const std::vector<Bytes>& stripe, base::Prng& prng) {
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

/// Both, and what the plan writes: the whole chunks `wanted`.
inline void check_repair(const Plan& plan, const std::vector<Bytes>& stripe, const ChunkSet& available,
                         const ChunkSet& wanted, base::Prng& prng) {
  ASSERT_EQ(plan.outputs().size(), wanted.count());
  std::size_t at = 0;
  for (const unsigned chunk : wanted) ASSERT_EQ(plan.outputs()[at++], (ChunkRange{chunk, 0, stripe[0].size()}));
  ASSERT_NO_FATAL_FAILURE(check_reads(plan, available, stripe[0].size()));
  ASSERT_NO_FATAL_FAILURE(check_run(plan, stripe, prng));
}

}  // namespace parapet::codec

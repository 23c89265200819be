// One code, many threads: every one with patterns of its own, all through the same cache.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

constexpr unsigned thread_count = 4;
constexpr int round_count = 200;

/// Some of everything that a code does; returns whether all was right.
bool work(const Code& code, const Oracle& oracle, const std::vector<Bytes>& stripe, base::Prng& prng) {
  const std::size_t size = stripe[0].size();
  const ChunkSet lost = random_loss(prng, oracle, 1 + prng.below(oracle.m()));
  const ChunkSet available = all_chunks(oracle) - lost;
  std::vector<Bytes> outputs(lost.count(), Bytes(size));
  std::vector<IndexedRegion> wanted;
  for (const unsigned chunk : lost) wanted.push_back({chunk, {outputs[wanted.size()].data(), size}});
  if (!code.reconstruct(const_regions(stripe, available), wanted)) return false;
  for (const IndexedRegion& output : wanted)
    if (!std::equal(stripe[output.index].begin(), stripe[output.index].end(), output.region.data)) return false;

  const unsigned chunk = *lost.begin();
  const std::size_t offset = prng.below(size);
  const auto plan = code.plan_read(available, {chunk, offset, size - offset}, size);
  if (!plan) return false;
  std::vector<ConstRegion> inputs;
  for (const ChunkRange& range : plan->reads())
    inputs.emplace_back(stripe[range.chunk].data() + range.offset, range.length);
  const Region target(outputs[0].data(), size - offset);
  if (!plan->run(inputs, {&target, 1})) return false;
  if (!std::equal(outputs[0].begin(), outputs[0].begin() + static_cast<std::ptrdiff_t>(size - offset),
                  stripe[chunk].begin() + static_cast<std::ptrdiff_t>(offset)))
    return false;

  auto parity = random_chunks(prng, oracle.m(), size);
  if (!code.encode(const_regions(data_of(oracle, stripe)), regions(parity))) return false;
  const auto disagreeing = code.verify(const_regions(stripe));
  return parity == parity_of(oracle, stripe) && disagreeing && disagreeing->empty();
}

TEST(Threads, ShareOneCode) {
  for (const char* const text :
       {"rs(10,4)", "xrs(10,4)", "lrc(8,2,2)", "clay(4,2)", "rdp(6,2)", "cauchy_good(5,3,w=4,packetsize=8)"}) {
    const Oracle oracle(text);
    const Code code = parse(text);
    base::Prng prng(1);
    const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 600));
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < thread_count; ++t)
      threads.emplace_back([&, t, copy = code] {
        base::Prng own(100 + t);
        for (int round = 0; round < round_count; ++round) right += work(copy, oracle, stripe, own) ? 1 : 0;
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, static_cast<int>(thread_count) * round_count) << text;
  }
}

// The first use of everything in the process may come from several threads at once.
TEST(Threads, ParseAtOnce) {
  std::atomic<int> parsed = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t)
    threads.emplace_back([&] { parsed += Code::parse("xrs(12,4)").has_value() && !Code::families().empty() ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(parsed, static_cast<int>(thread_count));
}

}  // namespace
}  // namespace parapet::codec

// The hot path takes no memory from the heap: templexxx/xrs makes 3 allocations per encode, 15 per repair of one chunk
// and 7 per update. This file replaces the global operator new of the test program by one that counts.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "codec/test_stripe.h"

namespace {
thread_local unsigned allocation_count = 0;

void* counted(std::size_t size, std::size_t alignment) {
  ++allocation_count;
  void* bytes = nullptr;
  if (posix_memalign(&bytes, alignment, size) != 0) throw std::bad_alloc();
  return bytes;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, const std::nothrow_t&) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::size_t, std::align_val_t) noexcept { std::free(bytes); }

namespace parapet::codec {
namespace {

class Allocation : public testing::TestWithParam<const char*> {
 protected:
  Allocation()
      : oracle_(GetParam()),
        code_(parse(GetParam())),
        chunk_size_(chunk_size_from(oracle_, 4096)),
        prng_(1),
        stripe_(random_stripe(oracle_, prng_, chunk_size_)) {}

  /// How many allocations the second run of `work` makes: the first one may fill caches.
  template <class Work>
  unsigned count(Work work) {
    EXPECT_TRUE(work().has_value());
    const unsigned before = allocation_count;
    const bool worked = work().has_value();
    const unsigned after = allocation_count;
    EXPECT_TRUE(worked);
    return after - before;
  }

  Oracle oracle_;
  Code code_;
  std::size_t chunk_size_;
  base::Prng prng_;
  std::vector<Bytes> stripe_;
};

TEST_P(Allocation, TheCounterCounts) {
  const unsigned before = allocation_count;
  ::operator delete(::operator new(100));
  EXPECT_EQ(allocation_count - before, 1u);
}

TEST_P(Allocation, EncodeMakesNone) {
  auto chunks = parity_of(oracle_, stripe_);
  const auto source = const_regions(stripe_);
  const auto parity = regions(chunks);
  EXPECT_EQ(count([&] { return code_.encode(std::span(source).first(oracle_.k()), parity); }), 0u);
}

TEST_P(Allocation, ReconstructionOfKnownPatternsMakesNone) {
  const unsigned k = oracle_.k(), n = oracle_.n();
  for (const ChunkSet& lost : {ChunkSet{0}, ChunkSet{k - 1}, ChunkSet{k}, ChunkSet{n - 1}, ChunkSet{0, 1},
                               ChunkSet{0, n - 1}, random_loss(prng_, oracle_, oracle_.m())}) {
    std::vector<Bytes> outputs(lost.count(), Bytes(chunk_size_));
    std::vector<IndexedRegion> wanted;
    for (const unsigned chunk : lost) wanted.push_back({chunk, {outputs[wanted.size()].data(), chunk_size_}});
    const auto chunks = const_regions(stripe_, all_chunks(oracle_) - lost);
    EXPECT_EQ(count([&] { return code_.reconstruct(chunks, wanted); }), 0u) << to_text(lost);
  }
}

TEST_P(Allocation, UpdatesMakeNone) {
  auto chunks = parity_of(oracle_, stripe_);
  const auto parity = regions(chunks);
  const ConstRegion before(stripe_[0].data(), 3000), after(stripe_[1].data(), 3000);
  EXPECT_EQ(count([&] { return code_.update(2, 700, before, after, parity); }), 0u);
  EXPECT_EQ(count([&] { return code_.apply_delta(2, 700, before, parity); }), 0u);
  const ConstIndexedRegion deltas[] = {{3, {stripe_[0].data(), chunk_size_}}, {1, {stripe_[1].data(), chunk_size_}}};
  EXPECT_EQ(count([&] { return code_.replace(deltas, parity); }), 0u);
}

TEST_P(Allocation, RunningAPlanMakesNone) {
  const auto plan = code_.plan_repair(all_chunks(oracle_) - ChunkSet{4}, {4}, chunk_size_);
  ASSERT_TRUE(plan.has_value());
  std::vector<ConstRegion> inputs;
  for (const ChunkRange& range : plan->reads())
    inputs.emplace_back(stripe_[range.chunk].data() + range.offset, range.length);
  Bytes output(chunk_size_);
  const Region target(output.data(), chunk_size_);
  EXPECT_EQ(count([&] { return plan->run(inputs, {&target, 1}); }), 0u);
  EXPECT_EQ(output, stripe_[4]);
}

INSTANTIATE_TEST_SUITE_P(Codes, Allocation,
                         testing::Values("rs(12,4)", "reed_sol_r6_op(12,2)", "xrs(12,4)", "hitchhiker(12,4)",
                                         "lrc(12,2,2)", "lrc(12,2,2,groups=uniform)", "clay(6,3)", "rdp(12,2)",
                                         "evenodd(12,2)", "cauchy_orig(12,4,w=4)", "cauchy_good(12,4,packetsize=8)",
                                         "liberation(12,2)", "blaum_roth(12,2,packetsize=24)", "liber8tion(8,2)"),
                         test_name);

}  // namespace
}  // namespace parapet::codec

#include "bench/roofline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bench/workbench.h"

namespace parapet::bench {
namespace {

TEST(XorKernelTest, EveryVariantWritesTheSumOfTheSourcesToEachCopy) {
  std::vector<std::span<const XorKernel>> sets{xor_kernels(), xor_kernels_portable};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) sets.emplace_back(xor_kernels_avx2);
#endif
  for (const auto& kernels : sets) {
    for (std::size_t variant = 0; variant < kernels.size(); ++variant) {
      for (const unsigned k : {1u, 2u, 3u, 4u, 5u, 8u, 12u, 20u}) {
        SCOPED_TRACE(fmt::format("variant {} with {} sources", variant, k));
        Arena arena;
        const Stripe stripe = arena.lay_out({k, 3}, 4096, Layout::staggered, 1).front();
        Bytes sum(4096);
        for (unsigned s = 0; s < k; ++s)
          for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= stripe.chunks[s][i];
        kernels[variant](stripe.chunks.data(), k, stripe.chunks.data() + k, 3, 4096);
        for (unsigned c = 0; c < 3; ++c) EXPECT_EQ(std::memcmp(stripe.chunks[k + c], sum.data(), sum.size()), 0);
      }
    }
  }
}

}  // namespace
}  // namespace parapet::bench

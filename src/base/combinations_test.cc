#include "base/combinations.h"

#include <gtest/gtest.h>

#include <set>

namespace parapet::base {
namespace {

TEST(Combinations, AreCounted) {
  EXPECT_EQ(binomial(16, 4, 200'000), 1820u);
  EXPECT_EQ(binomial(16, 12, 2000), 1820u);  // Though 16 over 8 is above the limit.
  EXPECT_EQ(binomial(5, 0, 10), 1u);
  EXPECT_EQ(binomial(5, 5, 10), 1u);
  EXPECT_GT(binomial(256, 128, 200'000), 200'000u);
}

TEST(Combinations, ComeEachOnceInOrder) {
  for (const unsigned n : {1u, 4u, 7u}) {
    for (unsigned r = 1; r <= n; ++r) {
      std::set<std::vector<unsigned>> seen;
      std::vector<unsigned> chosen = first_combination(r);
      do {
        EXPECT_TRUE(seen.empty() || *seen.rbegin() < chosen);
        EXPECT_LT(chosen.back(), n);
        seen.insert(chosen);
      } while (next_combination(chosen, n));
      EXPECT_EQ(seen.size(), binomial(n, r, 1000)) << n << " " << r;
    }
  }
}

}  // namespace
}  // namespace parapet::base

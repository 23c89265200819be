#include "codec/bitmatrix/binary_field.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "codec/bitmatrix/cauchy_elements.h"
#include "codec/oracle/word_field.h"

namespace parapet::codec {
namespace {

std::uint32_t random_element(base::Prng& prng, unsigned w) {
  return static_cast<std::uint32_t>(prng.below(std::uint64_t{1} << w));
}

TEST(BinaryField, KnownProducts) {
  EXPECT_EQ(BinaryField(2).multiply(2, 2), 3u);
  EXPECT_EQ(BinaryField(4).multiply(8, 2), 3u);
  EXPECT_EQ(BinaryField(8).multiply(0x80, 2), 0x1Du);
  EXPECT_EQ(BinaryField(16).multiply(0x8000, 2), 0x100Bu);
  EXPECT_EQ(BinaryField(32).multiply(0x80000000, 2), 0x400007u);
}

TEST(BinaryField, IsTheOracles) {
  base::Prng prng(1);
  for (unsigned w = BinaryField::w_min; w <= BinaryField::w_max; ++w) {
    const BinaryField field(w);
    const oracle::WordField expected(w);
    EXPECT_EQ(field.w(), w);
    for (int round = 0; round < 200; ++round) {
      const std::uint32_t a = random_element(prng, w), b = random_element(prng, w);
      ASSERT_EQ(field.multiply(a, b), expected.times(a, b)) << "w " << w << ": " << a << " * " << b;
      if (b == 0) continue;
      ASSERT_EQ(field.multiply(b, field.inverse(b)), 1u) << "w " << w << ": 1 / " << b;
      ASSERT_EQ(field.multiply(field.divide(a, b), b), a) << "w " << w << ": " << a << " / " << b;
    }
  }
}

// All moduli are primitive: the powers of x are all elements but zero. Its order is no proper divisor of 2^w - 1.
TEST(BinaryField, XGeneratesAllElements) {
  for (unsigned w = BinaryField::w_min; w <= BinaryField::w_max; ++w) {
    const oracle::WordField field(w);
    const std::uint64_t order = (std::uint64_t{1} << w) - 1;
    ASSERT_EQ(field.power(2, order), 1u) << "w " << w;
    std::uint64_t rest = order;
    for (std::uint64_t divisor = 3; divisor * divisor <= rest; divisor += 2) {
      if (rest % divisor != 0) continue;
      while (rest % divisor == 0) rest /= divisor;
      ASSERT_NE(field.power(2, order / divisor), 1u) << "w " << w;
    }
    if (rest > 1 && rest < order) {
      ASSERT_NE(field.power(2, order / rest), 1u) << "w " << w;
    }
  }
}

TEST(CauchyElements, OnesOfABitMatrix) {
  EXPECT_EQ(one_count(1, BinaryField(8)), 8u);
  EXPECT_EQ(one_count(2, BinaryField(3)), 4u);  // x, x^2, x + 1
  EXPECT_EQ(one_count(0, BinaryField(8)), 0u);
}

TEST(CauchyElements, GoodOnesHaveFewerOnes) {
  for (const auto& [k, m, w] : {std::array{4u, 2u, 4u}, {10u, 4u, 8u}, {6u, 3u, 16u}}) {
    const BinaryField field(w);
    const auto ones = [&](const ElementMatrix& rows) {
      unsigned count = 0;
      for (const auto& row : rows)
        for (const std::uint32_t element : row) count += one_count(element, field);
      return count;
    };
    const ElementMatrix good = cauchy_good_elements(k, m, field);
    EXPECT_LT(ones(good), ones(cauchy_orig_elements(k, m, field))) << k << "," << m;
    EXPECT_EQ(good[0], std::vector<std::uint32_t>(k, 1)) << k << "," << m;
  }
}

}  // namespace
}  // namespace parapet::codec

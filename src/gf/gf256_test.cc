#include "gf/gf256.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

#include "gf/reference.h"

namespace parapet::gf {
namespace {

using Byte = std::uint8_t;

template <class Check>
void for_each_pair(Check check) {
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) check(static_cast<Byte>(a), static_cast<Byte>(b));
}

// How many of all triples of bytes fail: an assertion for each of 16 million would take long.
template <class Holds>
unsigned failures_of_triples(Holds holds) {
  unsigned failures = 0;
  for_each_pair([&](Byte a, Byte b) {
    for (unsigned c = 0; c < 256; ++c) failures += holds(a, b, static_cast<Byte>(c)) ? 0 : 1;
  });
  return failures;
}

// A few products known from elsewhere: the reference itself must be right.
static_assert(reference::multiply(0x80, 2) == 0x1D, "x^7 * x is reduced by 0x11D");
static_assert(reference::multiply(0x8E, 2) == 1);
static_assert(reference::multiply(3, 7) == 9);
static_assert(multiply(0x80, 2) == 0x1D, "multiplication is usable at compile time");

TEST(Gf256, MultiplicationIsThatOfPolynomialsModulo11D) {
  for_each_pair([](Byte a, Byte b) { ASSERT_EQ(multiply(a, b), reference::multiply(a, b)) << +a << " * " << +b; });
}

TEST(Gf256, MultiplicationIsCommutativeWithNeutralOneAndAbsorbingZero) {
  for_each_pair([](Byte a, Byte b) { ASSERT_EQ(multiply(a, b), multiply(b, a)) << +a << " * " << +b; });
  for (unsigned a = 0; a < 256; ++a) {
    EXPECT_EQ(multiply(static_cast<Byte>(a), 1), a);
    EXPECT_EQ(multiply(static_cast<Byte>(a), 0), 0);
  }
}

TEST(Gf256, MultiplicationIsAssociative) {
  EXPECT_EQ(failures_of_triples(
                [](Byte a, Byte b, Byte c) { return multiply(multiply(a, b), c) == multiply(a, multiply(b, c)); }),
            0u);
}

TEST(Gf256, MultiplicationDistributesOverAddition) {
  EXPECT_EQ(failures_of_triples([](Byte a, Byte b, Byte c) {
              return multiply(a, static_cast<Byte>(b ^ c)) == (multiply(a, b) ^ multiply(a, c));
            }),
            0u);
}

TEST(Gf256, EveryElementButZeroHasItsInverse) {
  std::set<Byte> inverses;
  for (unsigned a = 1; a < 256; ++a) {
    const Byte inverse_a = inverse(static_cast<Byte>(a));
    EXPECT_EQ(multiply(static_cast<Byte>(a), inverse_a), 1) << a;
    inverses.insert(inverse_a);
  }
  EXPECT_EQ(inverses.size(), 255u);
}

TEST(Gf256, TwoGeneratesEveryElementButZero) {
  std::set<Byte> powers;
  Byte value = 1;
  for (unsigned n = 0; n < 255; ++n) {
    EXPECT_EQ(power(2, n), value) << n;
    powers.insert(value);
    value = reference::multiply(value, 2);
  }
  EXPECT_EQ(value, 1) << "its order divides 255";
  EXPECT_EQ(powers.size(), 255u) << "its order is 255";
}

TEST(Gf256, PowerIsRepeatedMultiplication) {
  for (unsigned a = 0; a < 256; ++a) {
    Byte value = 1;  // 0^0 = 1: the Vandermonde matrices rely on it.
    for (unsigned n = 0; n < 600; ++n) {
      ASSERT_EQ(power(static_cast<Byte>(a), n), value) << a << "^" << n;
      value = reference::multiply(value, static_cast<Byte>(a));
    }
  }
}

TEST(Gf256, PowerTakesTheLargestExponents) {
  for (unsigned a = 1; a < 256; ++a) {
    const unsigned n = ~0u;
    EXPECT_EQ(power(static_cast<Byte>(a), n), power(static_cast<Byte>(a), n % 255)) << a;
  }
  EXPECT_EQ(power(0, ~0u), 0);
}

}  // namespace
}  // namespace parapet::gf

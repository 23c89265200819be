#include "codec/family_options.h"

#include <gtest/gtest.h>

#include "base/try.h"

namespace parapet::codec {
namespace {

TEST(Primes, AreThoseOfTheSieve) {
  std::vector<bool> is_composite(1000);
  for (unsigned i = 2; i < 1000; ++i)
    for (unsigned multiple = 2 * i; multiple < 1000; multiple += i) is_composite[multiple] = true;
  EXPECT_FALSE(is_prime(0));
  EXPECT_FALSE(is_prime(1));
  for (unsigned i = 2; i < 1000; ++i) EXPECT_EQ(is_prime(i), !is_composite[i]) << i;
}

TEST(Primes, FromANumberOn) {
  EXPECT_EQ(prime_from(0), 2u);
  EXPECT_EQ(prime_from(7), 7u);
  EXPECT_EQ(prime_from(8), 11u);
  EXPECT_EQ(prime_from(252), 257u);
}

TEST(Primes, NearestWithinLimits) {
  EXPECT_EQ(nearest_prime(7, 3, 257), 7u);
  EXPECT_EQ(nearest_prime(8, 3, 257), 7u);
  EXPECT_EQ(nearest_prime(8, 8, 257), 11u);
  EXPECT_EQ(nearest_prime(10, 3, 257), 11u);
  EXPECT_EQ(nearest_prime(9, 3, 257), 11u) << "the higher of two";
  EXPECT_EQ(nearest_prime(9, 3, 10), 7u);
  EXPECT_EQ(nearest_prime(0, 3, 257), 3u);
  EXPECT_EQ(nearest_prime(256, 3, 256), 251u);
  EXPECT_EQ(nearest_prime(4'294'967'295, 3, 257), 257u);
}

CodeText parsed(std::string_view text) { return parse_code_text(text).value(); }

TEST(FamilyOptions, KAndM) {
  const Shape shape = parse_k_m(parsed("x(12,4)")).value();
  EXPECT_EQ(shape.k, 12u);
  EXPECT_EQ(shape.m, 4u);
  EXPECT_EQ(shape.alpha, 1u);
  EXPECT_EQ(shape.tolerance, 4u);
  EXPECT_EQ(shape.packet_size, 0u);
  EXPECT_EQ(canonical_start("x", shape), "x(12,4");
  EXPECT_TRUE(parse_k_m(parsed("x(252,4)")).has_value());
  for (const char* const text : {"x(0,4)", "x(4,0)", "x(253,4)", "x(4)", "x(1,2,3)", "x(4294967295,2)"})
    EXPECT_FALSE(parse_k_m(parsed(text)).has_value()) << text;
  EXPECT_TRUE(parse_k_2(parsed("x(4,2)")).has_value());
  for (const char* const text : {"x(4,1)", "x(4,3)", "x(0,2)"})
    EXPECT_FALSE(parse_k_2(parsed(text)).has_value()) << text;
}

TEST(FamilyOptions, Numbers) {
  EXPECT_EQ(number_option(parsed("x(1,w=17)"), "w").value(), 17u);
  EXPECT_EQ(number_option(parsed("x(1,w=4294967295)"), "w").value(), 4'294'967'295u);
  EXPECT_EQ(number_option(parsed("x(1,w=17)"), "p").value(), std::nullopt);
  for (const char* const text : {"x(1,w=-1)", "x(1,w=1x)", "x(1,w=x)", "x(1,w=4294967296)", "x(1,w=+1)"})
    EXPECT_FALSE(number_option(parsed(text), "w").has_value()) << text;
}

TEST(FamilyOptions, KnownAndUnsafe) {
  EXPECT_TRUE(check_options(parsed("x(1,a=1,b=2)"), {"a", "b", "c"}, "reason").has_value());
  EXPECT_EQ(check_options(parsed("x(1,a=1,d=2)"), {"a", "b", "c"}, "reason").error().message(), "code: reason");
  EXPECT_FALSE(is_unsafe(parsed("x(1)")).value());
  EXPECT_TRUE(is_unsafe(parsed("x(1,unsafe=yes)")).value());
  for (const char* const text : {"x(1,unsafe=no)", "x(1,unsafe=1)", "x(1,unsafe=YES)"})
    EXPECT_FALSE(is_unsafe(parsed(text)).has_value()) << text;
}

/// Parity of some of three chunks, and of some of the others.
LinearMap two_parities(const SparseRow& second) {
  SparseMatrix generator(3);
  generator.add_row({{0, 1}, {1, 1}, {2, 1}});
  generator.add_row(second);
  return LinearMap::from_generator(std::move(generator));
}

TEST(FamilyOptions, ToleranceIsSettledByTrying) {
  constexpr Refusal refusal{"{} of {}, nearest {}", "uncounted, nearest {}", 7};
  const Shape shape{.k = 3, .m = 2, .alpha = 1, .tolerance = 2};
  Shape settled = shape;
  EXPECT_TRUE(settle_tolerance(settled, two_parities({{0, 1}, {1, 2}, {2, 3}}), false, refusal).has_value());
  EXPECT_EQ(settled.tolerance, 2u);
  EXPECT_TRUE(settle_tolerance(settled, two_parities({{0, 1}, {1, 2}, {2, 3}}), true, refusal).has_value());
  EXPECT_EQ(settled.tolerance, 2u);
  // Chunks 1 and 2 have equal columns; chunk 0 and the first parity have only one check.
  const LinearMap weak = two_parities({{1, 2}, {2, 2}});
  const auto refused = settle_tolerance(settled, weak, false, refusal);
  EXPECT_EQ(refused.error().message(), "code: 2 of 10, nearest 7");
  EXPECT_TRUE(settle_tolerance(settled, weak, true, refusal).has_value());
  EXPECT_EQ(settled.tolerance, 1u);
}

}  // namespace
}  // namespace parapet::codec

#include "pool/scheme.h"

#include <gtest/gtest.h>

namespace parapet::pool {
namespace {

using Pressure = store::Store::Pressure;

constexpr Scheme schemes[] = {Scheme::fo, Scheme::fl, Scheme::pl, Scheme::plr};
constexpr std::size_t part = 1000;
constexpr std::size_t log_size = 16 * part;

Pressure pressure(std::size_t data, std::size_t delta, std::size_t used = 0, bool waiting = false) {
  return {log_size, used, data, delta, waiting};
}

bool moves_data(Scheme scheme, std::size_t data) { return policy_for(scheme, pressure(data, 0)).data; }
bool moves_delta(Scheme scheme, std::size_t delta) { return policy_for(scheme, pressure(0, delta)).parity; }

TEST(Scheme, NamesComeBack) {
  for (const Scheme scheme : schemes) EXPECT_EQ(scheme_named(name_of(scheme)), scheme);
  EXPECT_EQ(name_of(Scheme::plr), "plr");
  EXPECT_EQ(name_of(Scheme::fo), "fo");
  EXPECT_EQ(scheme_named("raid"), std::nullopt);
  EXPECT_EQ(scheme_named(""), std::nullopt);
}

TEST(Scheme, FullOverwriteMovesAtOnce) {
  EXPECT_TRUE(moves_data(Scheme::fo, 1));
  EXPECT_TRUE(moves_delta(Scheme::fo, 1));
}

TEST(Scheme, FullLoggingWaitsUntilTheLogIsShort) {
  EXPECT_FALSE(moves_data(Scheme::fl, 6 * part));
  EXPECT_TRUE(moves_data(Scheme::fl, 6 * part + 1));
  EXPECT_FALSE(moves_delta(Scheme::fl, 6 * part));
  EXPECT_TRUE(moves_delta(Scheme::fl, 6 * part + 1));
}

TEST(Scheme, ParityLoggingMovesDataSoonAndDeltasLate) {
  EXPECT_FALSE(moves_data(Scheme::pl, 3 * part));
  EXPECT_TRUE(moves_data(Scheme::pl, 3 * part + 1));
  EXPECT_FALSE(moves_delta(Scheme::pl, 6 * part));
  EXPECT_TRUE(moves_delta(Scheme::pl, 6 * part + 1));
}

TEST(Scheme, WithReservedSpaceDeltasMoveEarlier) {
  EXPECT_TRUE(moves_data(Scheme::plr, 3 * part + 1));
  EXPECT_FALSE(moves_delta(Scheme::plr, 4 * part));
  EXPECT_TRUE(moves_delta(Scheme::plr, 4 * part + 1));
}

TEST(Scheme, OnlyReservedSpaceTakesDeltas) {
  for (const Scheme scheme : schemes)
    EXPECT_EQ(policy_for(scheme, pressure(1, 1)).into_reserve, scheme == Scheme::plr) << name_of(scheme);
}

TEST(Scheme, EverythingMovesWhenTheLogIsShort) {
  for (const Scheme scheme : schemes) {
    for (const Pressure& short_of_room : {pressure(1, 1, 6 * part + 1), pressure(1, 1, 0, true)}) {
      const auto policy = policy_for(scheme, short_of_room);
      EXPECT_TRUE(policy.data) << name_of(scheme);
      EXPECT_TRUE(policy.parity) << name_of(scheme);
    }
  }
}

TEST(Scheme, NothingMovesWhereNothingWaits) {
  for (const Scheme scheme : schemes) {
    const auto policy = policy_for(scheme, pressure(0, 0, log_size, true));
    EXPECT_FALSE(policy.data) << name_of(scheme);
    EXPECT_FALSE(policy.parity) << name_of(scheme);
  }
}

TEST(Scheme, TheLogIsShortenedWhenItGetsFullOrSomeoneWaits) {
  EXPECT_FALSE(wants_trim(pressure(0, 0, 6 * part)));
  EXPECT_TRUE(wants_trim(pressure(0, 0, 6 * part + 1)));
  EXPECT_TRUE(wants_trim(pressure(0, 0, 0, true)));
}

}  // namespace
}  // namespace parapet::pool

#include "simenv/sim_faults.h"

#include <gtest/gtest.h>

#include <vector>

namespace parapet::simenv {
namespace {

using Kind = env::Io::Kind;

env::Io operation(Kind kind, std::uint64_t offset = 0) {
  env::Io io;
  io.kind = kind;
  io.offset = offset;
  if (kind != Kind::flush) io.buffer = env::IoBuffer(env::io_alignment);
  return io;
}

TEST(SimFaults, ADiskIsHealthyAtFirst) {
  SimFaults faults;
  base::Prng prng(1);
  for (const Kind kind : {Kind::read, Kind::write, Kind::write_durable, Kind::flush})
    EXPECT_EQ(faults.decide(operation(kind), prng), std::nullopt);
}

TEST(SimFaults, ScriptedFaultsComeAtTheirOperations) {
  SimFaults faults;
  base::Prng prng(1);
  faults.add({.kind = FaultKind::write_error, .first = 1, .times = 2});
  std::vector<bool> befallen;
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(faults.decide(operation(Kind::read), prng)) << "reads do not count";
    befallen.push_back(faults.decide(operation(Kind::write), prng) == FaultKind::write_error);
  }
  EXPECT_EQ(befallen, (std::vector<bool>{false, true, true, false, false}));
  EXPECT_EQ(faults.count(FaultKind::write_error), 2u);
}

TEST(SimFaults, ScriptedFaultsKeepToTheirRangeAndKind) {
  SimFaults faults;
  base::Prng prng(1);
  faults.add({.kind = FaultKind::lost_write, .times = 100, .only = Kind::write_durable, .begin = 8192, .end = 12288});
  EXPECT_FALSE(faults.decide(operation(Kind::write, 8192), prng));
  EXPECT_FALSE(faults.decide(operation(Kind::write_durable, 4096), prng));
  EXPECT_FALSE(faults.decide(operation(Kind::write_durable, 12288), prng));
  EXPECT_EQ(faults.decide(operation(Kind::write_durable, 8192), prng), FaultKind::lost_write);
}

TEST(SimFaults, RatesAreMet) {
  SimFaults faults;
  base::Prng prng(1);
  faults.set_rate(FaultKind::read_error, SimFaults::always / 10);
  for (int i = 0; i < 10'000; ++i) faults.decide(operation(Kind::read), prng);
  // Ten standard deviations (of 30) around the mean.
  EXPECT_NEAR(static_cast<double>(faults.count(FaultKind::read_error)), 1000, 300);
  faults.clear_rates();
  EXPECT_FALSE(faults.decide(operation(Kind::read), prng));
}

TEST(SimFaults, EveryKindBefallsSomethingAndHasAName) {
  for (std::size_t i = 0; i < fault_kind_count; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    EXPECT_FALSE(fault_name(kind).empty());
    SimFaults faults;
    base::Prng prng(1);
    faults.set_rate(kind, SimFaults::always);
    for (const Kind io : {Kind::read, Kind::write, Kind::write_durable, Kind::flush})
      EXPECT_EQ(faults.decide(operation(io), prng) == kind, can_befall(kind, io));
    EXPECT_GT(faults.count(kind), 0u);
  }
  EXPECT_EQ(fault_name(FaultKind::dead), "dead");
}

}  // namespace
}  // namespace parapet::simenv

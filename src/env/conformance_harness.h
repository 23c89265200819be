// For tests: what the conformance suites (disk_conformance.h, world_conformance.h) need of an implementation, and the
// fixture that they share. Implementations instantiate both suites in a test file of their own:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, DiskConformance, SimulatedHarness);
//   INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, WorldConformance, SimulatedHarness);
#pragma once

#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "env/disk.h"
#include "env/world.h"

namespace parapet::env {

/// One object is made for each test, by its default constructor.
template <class T>
concept WorldHarness = std::default_initializable<T> && requires(T harness, std::function<void()> body) {
  /// Empty, or why the implementation cannot be tested on this machine.
  { harness.skip_reason() } -> std::convertible_to<std::string>;
  { harness.world() } -> std::convertible_to<World&>;
  /// Runs the body in a thread of the world and returns when it has ended. Called once.
  harness.run(body);
};

template <class T>
concept DiskHarness = WorldHarness<T> && requires(T harness, std::uint64_t size) {
  /// A new disk of zeros, without faults. Called inside `run` only. Each disk is destroyed before `run` ends.
  { harness.make_disk(size) } -> std::convertible_to<std::unique_ptr<Disk>>;
};

template <WorldHarness Harness>
class ConformanceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = harness_.skip_reason(); !reason.empty()) GTEST_SKIP() << reason;
  }
  World& world() { return harness_.world(); }
  std::unique_ptr<Disk> make_disk(std::uint64_t size) requires DiskHarness<Harness> { return harness_.make_disk(size); }
  void run(const std::function<void()>& body) { harness_.run(body); }

 private:
  Harness harness_;
};

}  // namespace parapet::env

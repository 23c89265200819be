// Every implementation that this machine can run, against the reference.
#include "gf/kernels/kernels.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "base/test_seeds.h"
#include "gf/isa.h"
#include "gf/kernel_case.h"

namespace parapet::gf {
namespace {

constexpr std::size_t length_max_all = 300;
constexpr std::size_t kib = 1024;

std::vector<const Kernels*> supported_kernels() {
  std::vector<const Kernels*> result;
  for (const Kernels* kernels : all_kernels())
    if (kernels->supported()) result.push_back(kernels);
  return result;
}

/// All functions of all implementations on one case.
void check(const KernelRegions& regions, const KernelShape& shape, base::Prng& prng) {
  static const std::vector<const Kernels*> implementations = supported_kernels();
  KernelCase kernel_case(regions, shape, prng);
  for (const Kernels* kernels : implementations)
    for (const KernelFunction& function : kernel_functions) {
      const std::string failure = kernel_case.run(*kernels, function);
      ASSERT_EQ(failure, "");
    }
}

template <class Check>
void for_each_mode(Check check_mode) {
  for (std::size_t rows = 1; rows <= rows_per_pass_max; ++rows)
    for (std::size_t sources = 0; sources <= 9; ++sources)
      for (const bool accumulate : {false, true})
        for (const bool has_terms : {false, true}) {
          KernelShape shape;
          shape.row_count = rows;
          shape.source_count = sources;
          shape.accumulate = accumulate;
          shape.has_terms = has_terms;
          check_mode(shape);
          if (testing::Test::HasFatalFailure()) return;
        }
}

KernelShape random_mode(base::Prng& prng) {
  KernelShape shape;
  shape.row_count = 1 + prng.below(rows_per_pass_max);
  shape.source_count = prng.below(10);
  shape.accumulate = prng.below(2) == 0;
  shape.has_terms = prng.below(2) == 0;
  shape.begin = prng.below(3) == 0 ? 0 : prng.below(200);
  return shape;
}

TEST(Kernels, SayWhichOnesThisMachineTests) {
  std::string tested, lacking;
  for (const Kernels* kernels : all_kernels())
    (kernels->supported() ? tested : lacking).append(" ").append(kernels->name);
  std::cout << "tested:" << tested << "\nlacking on this machine:" << (lacking.empty() ? " none" : lacking) << "\n";
  EXPECT_NE(tested, "");
}

TEST(Kernels, EveryProductOfTwoBytes) {
  for (const Kernels* kernels : supported_kernels())
    for (unsigned c = 0; c < 256; ++c) {
      std::vector<std::uint8_t> table(kernels->table_size), source(256), result(256);
      kernels->prepare(static_cast<std::uint8_t>(c), table.data());
      for (unsigned b = 0; b < 256; ++b) source[b] = static_cast<std::uint8_t>(b);
      const std::uint8_t* const sources[] = {source.data()};
      std::uint8_t* const outputs[] = {result.data()};
      kernels->product({table.data(), sources, 1, nullptr, nullptr, nullptr, outputs, 1, 0, 256, false});
      for (unsigned b = 0; b < 256; ++b)
        ASSERT_EQ(result[b], reference::multiply(static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(b)))
            << kernels->name << " " << c << " * " << b;
    }
}

TEST(Kernels, AllLengthsAtAllMisalignments) {
  const KernelRegions regions(length_max_all);
  for (std::size_t length = 0; length <= length_max_all; ++length)
    for (std::size_t misalignment = 0; misalignment < 64; ++misalignment) {
      base::Prng prng(length * 64 + misalignment);
      for (const bool for_add_product : {false, true}) {
        KernelShape shape = random_mode(prng);
        if (for_add_product) shape.source_count = 1 + prng.below(2);
        shape.length = length;
        shape.place = Place::between;
        shape.misalignment = misalignment;
        shape.stagger = prng.below(2) == 0 ? 0 : 13;
        ASSERT_NO_FATAL_FAILURE(check(regions, shape, prng));
      }
    }
}

TEST(Kernels, AllLengthsBetweenGuardPages) {
  const KernelRegions regions(length_max_all);
  for (std::uint64_t seed = 0; seed < base::seed_count(8); ++seed)
    for (std::size_t length = 0; length <= length_max_all; ++length)
      for (const Place place : {Place::front, Place::back}) {
        base::Prng prng(seed * 1000 + length);
        KernelShape shape = random_mode(prng);
        if (seed % 2 == 1) shape.source_count = 1 + prng.below(2);  // also for add_product
        shape.length = length;
        shape.place = place;
        ASSERT_NO_FATAL_FAILURE(check(regions, shape, prng)) << "seed " << seed;
      }
}

TEST(Kernels, AllModesBetweenGuardPages) {
  const KernelRegions regions(length_max_all);
  for_each_mode([&](KernelShape shape) {
    base::Prng prng(1);
    for (const std::size_t length : {1u, 31u, 64u, 71u, 128u, 257u})
      for (const Place place : {Place::front, Place::back}) {
        shape.length = length;
        shape.place = place;
        ASSERT_NO_FATAL_FAILURE(check(regions, shape, prng));
      }
  });
}

// Long enough for many tiles and for what streaming does at a time, with aligned and unaligned outputs.
TEST(Kernels, AllModesOfLongRegions) {
  const KernelRegions regions(3 * kib);
  for_each_mode([&](KernelShape shape) {
    base::Prng prng(2);
    shape.place = Place::between;
    for (const std::size_t length : {kib - 1, kib, kib + 1, 2 * kib + 77})
      for (const std::size_t misalignment : {0u, 32u, 16u, 5u}) {
        shape.length = length;
        shape.misalignment = misalignment;
        shape.begin = prng.below(2) * 64;
        shape.stagger = 0;
        ASSERT_NO_FATAL_FAILURE(check(regions, shape, prng));
      }
  });
}

TEST(Kernels, RandomLengthsWithManySources) {
  const KernelRegions regions(6 * kib);
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    KernelShape shape = random_mode(prng);
    shape.source_count = prng.below(KernelCase::source_count_max + 1);
    shape.length = prng.below(6 * kib);
    shape.place = static_cast<Place>(prng.below(3));
    shape.misalignment = prng.below(2) * prng.below(64);
    shape.stagger = prng.below(2) * prng.below(64);
    ASSERT_NO_FATAL_FAILURE(check(regions, shape, prng)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace parapet::gf

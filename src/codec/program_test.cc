// Programs against the oracle's arithmetic, over all lengths around the stretches that they work in.
#include "codec/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "codec/oracle/algebra.h"
#include "gf/isa.h"

namespace parapet::codec {
namespace {

const gf::Kernels& kernels() { return *gf::active_kernels().value(); }

/// A program beside what its steps mean.
class Twin {
 public:
  explicit Twin(const OperandCounts& counts) : counts_(counts), program_(kernels(), counts) {}

  void add_product(const gf::Matrix& coefficients, const std::vector<Operand>& sources,
                   const std::vector<Operand>& targets, const gf::Product::Terms& terms = {}) {
    program_.add_product(std::make_shared<const gf::Product>(kernels(), coefficients, terms), sources, targets);
    steps_.push_back([=](std::vector<Bytes>& regions) {
      for (std::size_t p = 0; p < targets.size(); ++p) {
        Bytes sum(regions[0].size());
        for (std::size_t j = 0; j < sources.size(); ++j)
          oracle::add_scaled(sum, regions[sources[j]], coefficients.at(p, j));
        for (std::size_t t = 0; !terms.empty() && t < terms[p].size(); ++t) oracle::add(sum, regions[terms[p][t]]);
        regions[targets[p]] = sum;
      }
    });
  }
  void add_sum(Operand target, const std::vector<Operand>& terms) {
    program_.add_sum(target, terms);
    steps_.push_back([=](std::vector<Bytes>& regions) {
      Bytes sum(regions[0].size());
      for (const Operand term : terms) oracle::add(sum, regions[term]);
      regions[target] = sum;
    });
  }

  /// Runs both on random bytes; regions lie at odd places, and what is around the outputs must stay.
  void check(std::size_t length, base::Prng& prng) const {
    SCOPED_TRACE("length " + std::to_string(length));
    constexpr std::size_t margin = 70;
    std::vector<Bytes> regions(counts_.all()), places;
    std::vector<std::size_t> shifts;
    for (std::size_t i = 0; i < counts_.whole(); ++i) {
      places.emplace_back(length + margin);
      prng.fill(places[i].data(), places[i].size());
      shifts.push_back(prng.below(margin));
    }
    std::vector<const std::uint8_t*> inputs;
    std::vector<std::uint8_t*> outputs;
    for (std::size_t i = 0; i < counts_.all(); ++i) regions[i].resize(length);
    for (std::size_t i = 0; i < counts_.whole(); ++i) {
      std::uint8_t* const at = places[i].data() + shifts[i];
      if (i < counts_.inputs) regions[i].assign(at, at + length);
      i < counts_.inputs ? inputs.push_back(at) : outputs.push_back(at);
    }
    auto expected = places;
    for (const auto& step : steps_) step(regions);
    for (std::size_t i = counts_.inputs; i < counts_.whole(); ++i)
      std::copy(regions[i].begin(), regions[i].end(), expected[i].begin() + static_cast<std::ptrdiff_t>(shifts[i]));
    program_.run(inputs.data(), outputs.data(), length);
    ASSERT_TRUE(places == expected);
  }

 private:
  OperandCounts counts_;
  Program program_;
  std::vector<std::function<void(std::vector<Bytes>&)>> steps_;
};

gf::Matrix random_matrix(base::Prng& prng, std::size_t rows, std::size_t columns) {
  gf::Matrix matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) prng.fill(matrix.row(i).data(), columns);
  return matrix;
}

constexpr std::size_t long_lengths[] = {511,  512,    513,    1023,   1024,   1025,   2047,   4096,
                                        5000, 32'767, 32'768, 32'769, 65'535, 65'536, 65'601, 100'003};

void check_all_lengths(const Twin& twin) {
  base::Prng prng(7);
  for (std::size_t length = 0; length < 140; ++length) ASSERT_NO_FATAL_FAILURE(twin.check(length, prng));
  for (const std::size_t length : long_lengths) ASSERT_NO_FATAL_FAILURE(twin.check(length, prng));
}

TEST(Program, OneProduct) {
  base::Prng prng(1);
  Twin twin({.inputs = 3, .outputs = 2});
  twin.add_product(random_matrix(prng, 2, 3), {2, 0, 1}, {4, 3});
  check_all_lengths(twin);
}

TEST(Program, SumsOnly) {
  Twin twin({.inputs = 4, .outputs = 3, .temporaries = 1});
  twin.add_sum(7, {0, 1, 2});
  twin.add_sum(4, {7, 3});
  twin.add_sum(5, {7});
  twin.add_sum(6, {4, 5, 1});
  check_all_lengths(twin);
}

TEST(Program, ProductsOfProductsWithTerms) {
  base::Prng prng(2);
  Twin twin({.inputs = 3, .outputs = 2, .temporaries = 2});
  twin.add_product(random_matrix(prng, 2, 2), {0, 1}, {5, 6}, {{2}, {}});
  twin.add_product(random_matrix(prng, 1, 2), {5, 2}, {3}, {{6, 0}});
  twin.add_product(random_matrix(prng, 1, 1), {3}, {4}, {{5}});
  check_all_lengths(twin);
}

TEST(Program, SumsAndProductsInTurn) {
  base::Prng prng(3);
  Twin twin({.inputs = 2, .outputs = 2, .temporaries = 2});
  twin.add_sum(4, {0, 1});
  twin.add_product(random_matrix(prng, 2, 2), {4, 0}, {5, 2});
  twin.add_sum(4, {5, 2});  // the temporary takes another value
  twin.add_product(random_matrix(prng, 1, 2), {4, 1}, {3});
  check_all_lengths(twin);
}

TEST(Program, StepsShareAProduct) {
  base::Prng prng(4);
  const gf::Matrix coefficients = random_matrix(prng, 1, 2);
  const auto product = std::make_shared<const gf::Product>(kernels(), coefficients);
  Program program(kernels(), {.inputs = 3, .outputs = 2});
  program.add_product(product, {0, 1}, {3});
  program.add_product(product, {3, 2}, {4});
  Bytes regions[5];
  for (Bytes& region : regions) {
    region.resize(100);
    prng.fill(region.data(), 100);
  }
  Bytes expected(100);
  for (int i = 0; i < 2; ++i) oracle::add_scaled(expected, regions[i], coefficients.at(0, i));
  Bytes second(100);
  oracle::add_scaled(second, expected, coefficients.at(0, 0));
  oracle::add_scaled(second, regions[2], coefficients.at(0, 1));
  const std::uint8_t* const inputs[] = {regions[0].data(), regions[1].data(), regions[2].data()};
  std::uint8_t* const outputs[] = {regions[3].data(), regions[4].data()};
  program.run(inputs, outputs, 100);
  EXPECT_EQ(regions[3], expected);
  EXPECT_EQ(regions[4], second);
}

// So many temporaries that a stretch is one cache line.
TEST(Program, ThousandsOfTemporaries) {
  constexpr Operand count = 6000;
  Twin twin({.inputs = 2, .outputs = 1, .temporaries = count});
  for (Operand i = 0; i < count; ++i)
    twin.add_sum(3 + i, i < 2 ? std::vector<Operand>{0, 1} : std::vector<Operand>{2 + i, 1 + i, i % 2});
  twin.add_sum(2, {count + 2, count + 1});
  base::Prng prng(5);
  for (const std::size_t length : {1u, 63u, 64u, 65u, 200u}) ASSERT_NO_FATAL_FAILURE(twin.check(length, prng));
}

TEST(Program, RandomOnes) {
  for (std::uint64_t seed = 0; seed < base::seed_count(60); ++seed) {
    base::Prng prng(seed);
    const OperandCounts counts{1 + prng.below(6), 1 + prng.below(6), prng.below(5)};
    Twin twin(counts);
    std::vector<Operand> readable;
    for (Operand i = 0; i < counts.inputs; ++i) readable.push_back(i);
    const auto take = [&] {
      std::vector<Operand> some, rest = readable;
      for (std::size_t left = 1 + prng.below(readable.size()); left > 0; --left) {
        const auto at = static_cast<std::ptrdiff_t>(prng.below(rest.size()));
        some.push_back(rest[static_cast<std::size_t>(at)]);
        rest.erase(rest.begin() + at);
      }
      return some;
    };
    // Temporaries first, then outputs: each is written once and may be read from then on.
    for (std::size_t i = 0; i < counts.outputs + counts.temporaries; ++i) {
      const auto target =
          static_cast<Operand>(i < counts.temporaries ? counts.whole() + i : counts.inputs + i - counts.temporaries);
      const auto sources = take();
      if (prng.below(2) == 0)
        twin.add_sum(target, sources);
      else
        twin.add_product(random_matrix(prng, 1, sources.size()), sources, {target},
                         prng.below(2) == 0 ? gf::Product::Terms{} : gf::Product::Terms{take()});
      readable.push_back(target);
    }
    for (const std::size_t length : {prng.below(200), prng.below(5000)})
      ASSERT_NO_FATAL_FAILURE(twin.check(length, prng)) << "seed " << seed;
  }
}

TEST(Program, SaysWhatItTakes) {
  Program program(kernels(), {.inputs = 2, .outputs = 1});
  const std::size_t before = program.memory_bytes();
  program.add_sum(2, {0, 1});
  EXPECT_GT(program.memory_bytes(), before);
  EXPECT_EQ(program.counts().inputs, 2u);
  EXPECT_EQ(program.counts().outputs, 1u);
  EXPECT_EQ(program.counts().temporaries, 0u);
}

}  // namespace
}  // namespace parapet::codec

#include "codec/recipe_builder.h"

#include <gtest/gtest.h>

#include <iterator>
#include <map>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "codec/oracle/algebra.h"
#include "gf/isa.h"

namespace parapet::codec {
namespace {

const gf::Kernels& kernels() { return *gf::active_kernels().value(); }

using Value = RecipeBuilder::Value;
using Values = RecipeBuilder::Values;
using Stored = std::map<SubChunk, Bytes>;

/// What the recipe makes of the bytes that it reads.
Stored run(const Recipe& recipe, const Stored& stored, std::size_t length) {
  std::vector<const std::uint8_t*> inputs;
  for (const SubChunk& read : recipe.reads) inputs.push_back(stored.at(read).data());
  Stored result;
  std::vector<std::uint8_t*> outputs;
  for (const SubChunk& target : recipe.outputs) result[target] = Bytes(length, 0xEE);
  for (const SubChunk& target : recipe.outputs) outputs.push_back(result[target].data());
  EXPECT_EQ(recipe.program.counts().inputs, recipe.reads.size());
  EXPECT_EQ(recipe.program.counts().outputs, recipe.outputs.size());
  recipe.program.run(inputs.data(), outputs.data(), length);
  return result;
}

Stored random_stored(base::Prng& prng, unsigned count, std::size_t length) {
  Stored stored;
  for (unsigned i = 0; i < count; ++i) {
    stored[{i, i % 3}] = Bytes(length);
    prng.fill(stored[{i, i % 3}].data(), length);
  }
  return stored;
}

gf::Matrix matrix_of(const std::vector<Bytes>& rows) {
  gf::Matrix matrix(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) matrix.at(i, j) = rows[i][j];
  return matrix;
}

TEST(RecipeBuilder, TheSameSubChunkIsTheSameValue) {
  RecipeBuilder builder;
  const Value a = builder.read({1, 2});
  EXPECT_NE(builder.read({2, 1}), a);
  EXPECT_EQ(builder.read({1, 2}), a);
}

TEST(RecipeBuilder, ReadsAndOutputsAscend) {
  RecipeBuilder builder;
  const Value late = builder.read({5, 0}), early = builder.read({1, 1}), first = builder.read({1, 0});
  builder.output({9, 1}, builder.sum({late, early}));
  builder.output({0, 0}, builder.sum({early, first}));
  builder.output({9, 0}, builder.sum({late, first}));
  const Recipe recipe = builder.finish(kernels());
  EXPECT_EQ(recipe.reads, (std::vector<SubChunk>{{1, 0}, {1, 1}, {5, 0}}));
  EXPECT_EQ(recipe.outputs, (std::vector<SubChunk>{{0, 0}, {9, 0}, {9, 1}}));
  EXPECT_EQ(recipe.program.counts().temporaries, 0u);
}

// Rows that no output needs go, with the steps, columns and reads that only they had.
TEST(RecipeBuilder, WhatNothingNeedsIsDropped) {
  RecipeBuilder builder;
  const Value a = builder.read({0, 0}), b = builder.read({1, 1}), c = builder.read({2, 2}), d = builder.read({3, 0});
  const Value only_for_unneeded = builder.sum({c, d});
  const Values rows = builder.multiply(matrix_of({{2, 3, 0}, {0, 5, 7}}), {a, b, only_for_unneeded}, {{}, {d}});
  builder.output({4, 0}, rows[0]);
  const Recipe recipe = builder.finish(kernels());
  EXPECT_EQ(recipe.reads, (std::vector<SubChunk>{{0, 0}, {1, 1}}));
  EXPECT_EQ(recipe.program.counts().temporaries, 0u);
  base::Prng prng(1);
  const Stored stored = random_stored(prng, 4, 50);
  Bytes expected(50);
  oracle::add_scaled(expected, stored.at({0, 0}), 2);
  oracle::add_scaled(expected, stored.at({1, 1}), 3);
  EXPECT_EQ(run(recipe, stored, 50).at({4, 0}), expected);
}

// A chain of a hundred sums holds two values at a time, a row beside the one before it.
TEST(RecipeBuilder, TemporariesTakeEachOthersPlace) {
  RecipeBuilder builder;
  const Value a = builder.read({0, 0}), b = builder.read({1, 1});
  Value last = builder.sum({a, b});
  for (int i = 0; i < 100; ++i) last = builder.multiply(matrix_of({{2, 1}}), {last, a})[0];
  builder.output({2, 0}, last);
  const Recipe recipe = builder.finish(kernels());
  EXPECT_EQ(recipe.program.counts().temporaries, 2u);
  base::Prng prng(2);
  const Stored stored = random_stored(prng, 2, 77);
  Bytes expected = stored.at({0, 0});
  oracle::add(expected, stored.at({1, 1}));
  for (int i = 0; i < 100; ++i) {
    oracle::scale(expected, 2);
    oracle::add(expected, stored.at({0, 0}));
  }
  EXPECT_EQ(run(recipe, stored, 77).at({2, 0}), expected);
}

TEST(RecipeBuilder, AnOutputMayBeAnInput) {
  RecipeBuilder builder;
  builder.output({7, 0}, builder.read({0, 0}));
  builder.output({8, 0}, builder.read({0, 0}));
  const Recipe recipe = builder.finish(kernels());
  base::Prng prng(3);
  const Stored stored = random_stored(prng, 1, 33);
  const Stored result = run(recipe, stored, 33);
  EXPECT_EQ(result.at({7, 0}), stored.at({0, 0}));
  EXPECT_EQ(result.at({8, 0}), stored.at({0, 0}));
}

TEST(RecipeBuilder, AValueMayBePutOutTwiceAndReadOn) {
  RecipeBuilder builder;
  const Value sum = builder.sum({builder.read({0, 0}), builder.read({1, 1})});
  builder.output({7, 0}, sum);
  builder.output({8, 0}, sum);
  builder.output({9, 0}, builder.multiply(matrix_of({{3}}), {sum})[0]);
  const Recipe recipe = builder.finish(kernels());
  base::Prng prng(4);
  const Stored stored = random_stored(prng, 2, 33);
  Bytes expected = stored.at({0, 0});
  oracle::add(expected, stored.at({1, 1}));
  const Stored result = run(recipe, stored, 33);
  EXPECT_EQ(result.at({7, 0}), expected);
  EXPECT_EQ(result.at({8, 0}), expected);
  oracle::scale(expected, 3);
  EXPECT_EQ(result.at({9, 0}), expected);
}

/// Adds a random step to a builder and what its rows mean to `meanings`, by value.
void add_random_step(RecipeBuilder& builder, std::map<Value, Bytes>& meanings, std::size_t length, base::Prng& prng) {
  std::vector<Value> known;
  for (const auto& [value, bytes] : meanings) known.push_back(value);
  const auto take = [&](std::size_t count) {
    Values rest = known, some;
    for (; count > 0 && !rest.empty(); --count) {
      const auto at = static_cast<std::ptrdiff_t>(prng.below(rest.size()));
      some.push_back(rest[static_cast<std::size_t>(at)]);
      rest.erase(rest.begin() + at);
    }
    return some;
  };
  if (prng.below(2) == 0) {
    const Values terms = take(1 + prng.below(5));
    Bytes sum(length);
    for (const Value term : terms) oracle::add(sum, meanings.at(term));
    meanings[builder.sum(terms)] = sum;
    return;
  }
  const Values sources = take(1 + prng.below(4));
  const std::size_t row_count = 1 + prng.below(3);
  gf::Matrix coefficients(row_count, sources.size());
  std::vector<Values> terms(row_count);
  std::vector<Bytes> sums(row_count, Bytes(length));
  for (std::size_t i = 0; i < row_count; ++i) {
    for (std::size_t j = 0; j < sources.size(); ++j) {
      coefficients.at(i, j) = static_cast<std::uint8_t>(j == 0 ? 1 + prng.below(255) : prng.below(2) * prng.below(256));
      oracle::add_scaled(sums[i], meanings.at(sources[j]), coefficients.at(i, j));
    }
    if (prng.below(2) == 0) terms[i] = take(prng.below(3));
    for (const Value term : terms[i]) oracle::add(sums[i], meanings.at(term));
  }
  const Values rows = builder.multiply(coefficients, sources, terms);
  for (std::size_t i = 0; i < row_count; ++i) meanings[rows[i]] = sums[i];
}

TEST(RecipeBuilder, RandomRecipesDoWhatTheirStepsSay) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng prng(seed);
    const std::size_t length = 1 + prng.below(100);
    const Stored stored = random_stored(prng, 1 + static_cast<unsigned>(prng.below(6)), length);
    RecipeBuilder builder;
    std::map<Value, Bytes> meanings;
    for (const auto& [sub_chunk, bytes] : stored) meanings[builder.read(sub_chunk)] = bytes;
    for (std::uint64_t steps = prng.below(20); steps > 0; --steps) add_random_step(builder, meanings, length, prng);
    Stored expected;
    for (unsigned i = 0; i <= prng.below(5); ++i) {
      const auto any = std::next(meanings.begin(), static_cast<std::ptrdiff_t>(prng.below(meanings.size())));
      builder.output({100 + i, 0}, any->first);
      expected[{100 + i, 0}] = any->second;
    }
    const Recipe recipe = builder.finish(kernels());
    ASSERT_EQ(run(recipe, stored, length), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace parapet::codec

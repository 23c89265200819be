// What stands on the kernels: matrices of any size, times regions, by every implementation that this machine can run.
#include "gf/product.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"
#include "base/test_seeds.h"
#include "gf/accumulate.h"
#include "gf/reference.h"
#include "gf/xor_rows.h"

namespace parapet::gf {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> random_regions(base::Prng& prng, std::size_t count, std::size_t length) {
  std::vector<Bytes> result(count, Bytes(length));
  for (Bytes& region : result) prng.fill(region.data(), length);
  return result;
}

std::vector<const std::uint8_t*> inputs(const std::vector<Bytes>& regions) {
  std::vector<const std::uint8_t*> result;
  for (const Bytes& region : regions) result.push_back(region.data());
  return result;
}

std::vector<std::uint8_t*> outputs(std::vector<Bytes>& regions) {
  std::vector<std::uint8_t*> result;
  for (Bytes& region : regions) result.push_back(region.data());
  return result;
}

void add_product(Bytes& sum, std::uint8_t coefficient, const Bytes& region) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] ^= reference::products()[coefficient][region[i]];
}

Matrix random_matrix(base::Prng& prng, std::size_t row_count, std::size_t column_count) {
  Matrix result(row_count, column_count);
  for (std::size_t i = 0; i < row_count; ++i) prng.fill(result.row(i).data(), column_count);
  return result;
}

/// Calls check(kernels, prng, what) for many seeds, implementation after implementation.
template <class Check>
void for_each_seed(std::uint64_t usual_count, Check check) {
  for (const Kernels* kernels : all_kernels()) {
    if (!kernels->supported()) continue;
    for (std::uint64_t seed = 0; seed < base::seed_count(usual_count); ++seed) {
      base::Prng prng(seed);
      ASSERT_NO_FATAL_FAILURE(check(*kernels, prng)) << kernels->name << " seed " << seed;
    }
  }
}

Product::Terms random_terms(base::Prng& prng, std::size_t row_count, std::size_t term_count) {
  Product::Terms result(row_count);
  for (auto& row : result)
    for (std::uint64_t count = prng.below(4); count > 0; --count)
      row.push_back(static_cast<std::uint32_t>(prng.below(term_count)));
  return result;
}

TEST(Product, IsTheSumOfProductsAndTerms) {
  for_each_seed(60, [](const Kernels& kernels, base::Prng& prng) {
    // Up to three groups of rows, and lengths over the stretches that groups share a source in.
    const std::size_t row_count = 1 + prng.below(15);
    const std::size_t length = prng.below(2) == 0 ? prng.below(200) : prng.below(20'000);
    const auto sources = random_regions(prng, prng.below(12), length);
    const auto terms = random_regions(prng, 5, length);
    const Matrix matrix = random_matrix(prng, row_count, sources.size());
    const auto term_lists = prng.below(3) == 0 ? Product::Terms{} : random_terms(prng, row_count, terms.size());
    const Product product(kernels, matrix, term_lists);
    EXPECT_EQ(product.row_count(), row_count);
    EXPECT_EQ(product.column_count(), sources.size());
    for (const Store store : {Store::cached, Store::streamed}) {
      auto results = random_regions(prng, row_count, length);
      product.run(inputs(sources).data(), term_lists.empty() ? nullptr : inputs(terms).data(), outputs(results).data(),
                  length, store);
      for (std::size_t p = 0; p < row_count; ++p) {
        Bytes expected(length);
        for (std::size_t j = 0; j < sources.size(); ++j) add_product(expected, matrix.at(p, j), sources[j]);
        if (!term_lists.empty())
          for (const std::uint32_t t : term_lists[p]) add_product(expected, 1, terms[t]);
        ASSERT_TRUE(results[p] == expected) << "row " << p << " of " << row_count << ", length " << length;
      }
    }
  });
}

std::vector<std::uint32_t> random_picks(base::Prng& prng, std::size_t count, std::size_t below) {
  std::vector<std::uint32_t> picks(count);
  for (std::uint32_t& pick : picks) pick = static_cast<std::uint32_t>(prng.below(below));
  return picks;
}

TEST(Coefficients, AccumulateAddsTheProductsOfThePickedElements) {
  for_each_seed(40, [](const Kernels& kernels, base::Prng& prng) {
    const std::size_t length = prng.below(300);
    const std::size_t row_count = prng.below(16), column_count = prng.below(80);
    Bytes elements(1 + prng.below(100));
    prng.fill(elements.data(), elements.size());
    const Coefficients coefficients(kernels, elements);
    const auto picks = random_picks(prng, row_count * column_count, elements.size());
    const auto sources = random_regions(prng, column_count, length);
    auto results = random_regions(prng, row_count, length);
    auto expected = results;
    coefficients.accumulate(picks, row_count, column_count, inputs(sources).data(), outputs(results).data(), length);
    for (std::size_t i = 0; i < row_count; ++i)
      for (std::size_t j = 0; j < column_count; ++j)
        add_product(expected[i], elements[picks[i * column_count + j]], sources[j]);
    ASSERT_TRUE(results == expected);
  });
}

TEST(Coefficients, AccumulateDifferenceAddsTheProductOfBeforeXorAfter) {
  for_each_seed(40, [](const Kernels& kernels, base::Prng& prng) {
    const std::size_t length = prng.below(300);
    Bytes elements(1 + prng.below(20));
    prng.fill(elements.data(), elements.size());
    const Coefficients coefficients(kernels, elements);
    const auto picks = random_picks(prng, prng.below(16), elements.size());
    const auto change = random_regions(prng, 2, length);
    const bool has_after = prng.below(2) == 0;
    auto results = random_regions(prng, picks.size(), length);
    auto expected = results;
    coefficients.accumulate_difference(picks, change[0].data(), has_after ? change[1].data() : nullptr,
                                       outputs(results).data(), length);
    for (std::size_t i = 0; i < picks.size(); ++i) {
      add_product(expected[i], elements[picks[i]], change[0]);
      if (has_after) add_product(expected[i], elements[picks[i]], change[1]);
    }
    ASSERT_TRUE(results == expected);
  });
}

// Rows in a chain: each adds regions and rows before it.
TEST(XorRows, ComputeRowAfterRow) {
  for_each_seed(60, [](const Kernels& kernels, base::Prng& prng) {
    const std::size_t length = prng.below(3) == 0 ? prng.below(9'000) : prng.below(700);
    const std::size_t source_count = 1 + prng.below(12), row_count = 1 + prng.below(12);
    auto regions = random_regions(prng, source_count + row_count, length);
    auto expected = regions;
    XorRows rows(kernels);
    for (std::size_t row = 0; row < row_count; ++row) {
      const auto terms = random_picks(prng, 1 + prng.below(9), source_count + row);
      Bytes& target = expected[source_count + row];
      target = Bytes(length);
      for (const std::uint32_t term : terms) add_product(target, 1, expected[term]);
      rows.add_row(static_cast<std::uint32_t>(source_count + row), terms);
    }
    rows.run(outputs(regions).data(), length);
    ASSERT_TRUE(regions == expected) << length;
  });
}

TEST(AccumulateTerms, AddsTheListedRegions) {
  for_each_seed(40, [](const Kernels& kernels, base::Prng& prng) {
    const std::size_t length = prng.below(300);
    const std::size_t row_count = 1 + prng.below(20);
    const auto terms = random_regions(prng, 6, length);
    auto results = random_regions(prng, row_count, length);
    auto expected = results;
    std::vector<std::uint32_t> indices, ends;
    for (std::size_t p = 0; p < row_count; ++p) {
      for (std::uint64_t count = prng.below(4); count > 0; --count) {
        indices.push_back(static_cast<std::uint32_t>(prng.below(terms.size())));
        add_product(expected[p], 1, terms[indices.back()]);
      }
      ends.push_back(static_cast<std::uint32_t>(indices.size()));
    }
    accumulate_terms(kernels, inputs(terms).data(), indices, ends, outputs(results).data(), length);
    ASSERT_TRUE(results == expected);
  });
}

TEST(StoreFor, StreamsOnlyWhatIsLarge) {
  EXPECT_EQ(store_for(0), Store::cached);
  EXPECT_EQ(store_for(16 * 4096), Store::cached);
  EXPECT_EQ(store_for(~std::size_t{0}), Store::streamed);
}

}  // namespace
}  // namespace parapet::gf

// The example of docs/codes/ADDING.md: a code family as one adds it, and what it then gets for nothing. The document
// quotes the parts between the marks; the last test holds the two together.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/try.h"
#include "codec/families.h"
#include "codec/family_options.h"
#include "codec/test_stripe.h"
#include "gf/gf256.h"

namespace parapet::codec {
namespace {

// <<< ADDING.md
constexpr std::uint32_t half_a = 0;
constexpr std::uint32_t half_b = 1;

/// Data chunks that ride on the second parity: the first half of them.
unsigned rider_count(unsigned k) { return (k + 1) / 2; }

/// Rows and columns are (chunk, half). Row r has coefficients (2^r)^i: ones, then powers of two.
SparseMatrix toy_generator(unsigned k) {
  SparseMatrix generator(std::size_t{2} * k);
  for (unsigned r = 0; r < 2; ++r)
    for (const std::uint32_t half : {half_a, half_b}) {
      SparseRow row;
      for (unsigned i = 0; i < k; ++i) row.push_back({2 * i + half, gf::power(2, r * i)});
      for (unsigned i = 0; r == 1 && half == half_b && i < rider_count(k); ++i) row.push_back({2 * i + half_a, 1});
      generator.add_row(std::move(row));
    }
  return generator;
}
// ADDING.md >>>

// <<< ADDING.md
MadeCode make_toy(const CodeText& text, const gf::Kernels& kernels) {
  PARAPET_TRY(Shape shape, parse_k_2(text));
  PARAPET_CHECK(check_options(text, {}, "toy has no options"));
  if (shape.k < 2) return wrong_code("toy needs k >= 2: with one data chunk there is nothing to save; use replication");
  shape.alpha = 2;
  LinearMap map = LinearMap::from_generator(toy_generator(shape.k));
  const std::uint32_t first_a = half_a, second_b = 2 + half_b;  // checks, in the order of the generator's rows
  map.add_sum_of_checks(std::vector{first_a, second_b});
  return std::shared_ptr<const CodeImpl>(
      std::make_shared<CodeImpl>(canonical_start("toy", shape) + ")", shape, std::move(map), kernels));
}
// ADDING.md >>>

// <<< ADDING.md
constexpr Family toy{"toy", "toy(k,2)", make_toy};
// ADDING.md >>>

constexpr std::size_t half_size = 100;

class ToyCode : public testing::TestWithParam<const char*> {
 protected:
  ToyCode()
      : code_(*toy.make(*parse_code_text(GetParam()), **gf::active_kernels())),
        k_(code_->shape().k),
        stripe_(random_chunks(prng_, k_ + 2, 2 * half_size)) {}

  /// The sub-chunks that a recipe makes from those of the stripe that it reads.
  [[nodiscard]] std::vector<Bytes> made_by(const Recipe& recipe) const {
    std::vector<Bytes> made(recipe.outputs.size(), Bytes(half_size));
    std::vector<const std::uint8_t*> inputs;
    std::vector<std::uint8_t*> outputs;
    for (const SubChunk& read : recipe.reads) inputs.push_back(stripe_[read.chunk].data() + read.sub * half_size);
    for (Bytes& output : made) outputs.push_back(output.data());
    recipe.program.run(inputs.data(), outputs.data(), half_size);
    return made;
  }

  /// Fills in the parity by the code's encoder.
  void encode() {
    const auto made = made_by(code_->encoder());
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto [chunk, sub] = code_->encoder().outputs[i];
      std::ranges::copy(made[i], stripe_[chunk].begin() + static_cast<std::ptrdiff_t>(sub * half_size));
    }
  }

  /// Makes whole lost chunks from the others, asserts that they are as before, and returns how many halves it read.
  std::size_t repair(const ChunkSet& lost) {
    const auto recipe = code_->recipe({ChunkSet::range(0, k_ + 2) - lost, lost, {0, 2}});
    EXPECT_TRUE(recipe.has_value()) << to_text(lost);
    if (!recipe) return 0;
    const auto made = made_by(**recipe);
    for (std::size_t i = 0; i < made.size(); ++i) {
      const auto [chunk, sub] = (*recipe)->outputs[i];
      EXPECT_TRUE(std::ranges::equal(made[i], std::span(stripe_[chunk]).subspan(sub * half_size, half_size)));
    }
    for (const SubChunk& read : (*recipe)->reads) EXPECT_FALSE(lost.contains(read.chunk));
    return (*recipe)->reads.size();
  }

  base::Prng prng_{1};
  std::shared_ptr<const CodeImpl> code_;
  unsigned k_;
  std::vector<Bytes> stripe_;
};

TEST_P(ToyCode, EncodesAsDefined) {
  encode();
  for (std::size_t x = 0; x < half_size; ++x) {
    std::uint8_t first_a = 0, first_b = 0, second_a = 0, second_b = 0;
    for (unsigned i = 0; i < k_; ++i) {
      const std::uint8_t a = stripe_[i][x], b = stripe_[i][half_size + x], power = gf::power(2, i);
      first_a ^= a;
      first_b ^= b;
      second_a ^= gf::multiply(power, a);
      second_b ^= gf::multiply(power, b);
      if (2 * i < k_) second_b ^= a;
    }
    ASSERT_EQ(stripe_[k_][x], first_a);
    ASSERT_EQ(stripe_[k_][half_size + x], first_b);
    ASSERT_EQ(stripe_[k_ + 1][x], second_a);
    ASSERT_EQ(stripe_[k_ + 1][half_size + x], second_b);
  }
}

TEST_P(ToyCode, BearsAnyTwoLosses) {
  encode();
  for (unsigned i = 0; i < k_ + 2; ++i)
    for (unsigned j = 0; j < i; ++j) repair({i, j});
}

// <<< ADDING.md
TEST_P(ToyCode, RepairsReadLess) {
  encode();
  const unsigned riders = rider_count(k_);
  for (unsigned i = 0; i < k_; ++i)
    EXPECT_EQ(repair({i}), i < riders ? k_ + riders : 2 * k_ - riders + 1) << "data chunk " << i;
}
// ADDING.md >>>

TEST_P(ToyCode, ParityFollowsAChangeOfData) {
  encode();
  for (unsigned chunk = 0; chunk < k_; ++chunk)
    for (const std::uint32_t half : {half_a, half_b}) {
      const std::size_t at = half * half_size + 10;
      const Bytes after = random_bytes(prng_, 7);
      const std::vector<Region> parity{{stripe_[k_].data(), 2 * half_size}, {stripe_[k_ + 1].data(), 2 * half_size}};
      code_->deltas().add_difference(2 * chunk + half, 0, 10, stripe_[chunk].data() + at, after.data(), after.size(),
                                     parity, Packets(code_->shape(), 2 * half_size));
      std::ranges::copy(after, stripe_[chunk].begin() + static_cast<std::ptrdiff_t>(at));
      const auto updated = stripe_;
      encode();
      ASSERT_EQ(stripe_, updated) << "data chunk " << chunk << " half " << half;
    }
}

INSTANTIATE_TEST_SUITE_P(Codes, ToyCode, testing::Values("toy(2,2)", "toy(3,2)", "toy(4,2)", "toy(7,2)", "toy(10,2)"),
                         test_name);

TEST(ToyCodeText, IsCheckedByTheRulesThatAllFamiliesShare) {
  const auto made = [](const char* text) { return toy.make(*parse_code_text(text), **gf::active_kernels()); };
  EXPECT_EQ((*made("toy(4,2)"))->text(), "toy(4,2)");
  EXPECT_EQ(made("toy(4,3)").error().message(), "code: m is 3; this family has m = 2 only");
  EXPECT_FALSE(made("toy(1,2)").has_value());
  EXPECT_FALSE(made("toy(4,2,w=8)").has_value());
}

using Lines = std::vector<std::string>;

/// The lines between each line `begin` and the next line `end`.
std::vector<Lines> parts_of(const std::string& path, const std::string& begin, const std::string& end) {
  std::ifstream file(std::string(PARAPET_SOURCE_DIR) + path);
  EXPECT_TRUE(file.is_open()) << path;
  std::vector<Lines> parts;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!inside && line == begin) parts.emplace_back();
    if (inside && line != end) parts.back().push_back(line);
    inside = inside ? line != end : line == begin;
  }
  EXPECT_FALSE(inside) << path << ": a part has no end";
  return parts;
}

TEST(Adding, QuotesThisFile) {
  const auto marked = parts_of("/src/codec/toy_code_test.cc", "// <<< ADDING.md", "// ADDING.md >>>");
  const auto quoted = parts_of("/docs/codes/ADDING.md", "```cpp", "```");
  EXPECT_EQ(marked.size(), 4u);
  EXPECT_EQ(quoted, marked);
}

}  // namespace
}  // namespace parapet::codec

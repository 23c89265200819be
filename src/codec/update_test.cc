// Small changes of parity against encoding again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "base/test_seeds.h"
#include "codec/test_codes.h"
#include "codec/test_stripe.h"

namespace parapet::codec {
namespace {

/// A range of one data chunk with its old and new bytes; vectors are a byte longer, so that no bytes have an address
/// too.
struct Change {
  unsigned index = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
  Bytes before;
  Bytes after;
};

Change make_change(const std::vector<Bytes>& stripe, unsigned index, std::size_t offset, std::size_t length,
                   base::Prng& prng) {
  Change change{index, offset, length, Bytes(length + 1), random_bytes(prng, length + 1)};
  for (std::size_t i = 0; i < length; ++i) change.before[i] = stripe[index][offset + i];
  return change;
}

Change random_change(const std::vector<Bytes>& stripe, unsigned k, base::Prng& prng) {
  const auto index = static_cast<unsigned>(prng.below(k));
  const std::size_t offset = prng.below(stripe[0].size() + 1);
  return make_change(stripe, index, offset, prng.below(stripe[0].size() - offset + 1), prng);
}

void put_after(const Change& change, std::vector<Bytes>& data) {
  for (std::size_t i = 0; i < change.length; ++i) data[change.index][change.offset + i] = change.after[i];
}

ConstRegion region(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

/// Brings `parity` up to date in one of the two ways.
void run(const Code& code, const Change& change, bool from_delta, std::span<const Region> parity) {
  const ConstRegion before(change.before.data(), change.length), after(change.after.data(), change.length);
  Bytes delta = change.before;
  for (std::size_t i = 0; i < delta.size(); ++i) delta[i] ^= change.after[i];
  const auto done = from_delta ? code.apply_delta(change.index, change.offset, {delta.data(), change.length}, parity)
                               : code.update(change.index, change.offset, before, after, parity);
  ASSERT_TRUE(done.has_value()) << done.error().message();
}

class UpdateTest : public FamilyTest {};

TEST_P(UpdateTest, EqualsEncodingAgain) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(30); ++seed) {
      base::Prng prng(seed);
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      const Change change = random_change(stripe, oracle.k(), prng);
      auto data = data_of(oracle, stripe);
      put_after(change, data);
      for (const bool from_delta : {false, true}) {
        auto parity = parity_of(oracle, stripe);
        ASSERT_NO_FATAL_FAILURE(run(code, change, from_delta, regions(parity)));
        ASSERT_TRUE(parity == parity_of(oracle, oracle.encode(data)))
            << "seed " << seed << ": chunk " << change.index << ", " << change.length << " bytes at " << change.offset
            << " of " << stripe[0].size() << (from_delta ? " from the delta" : "");
      }
    }
  });
}

TEST_P(UpdateTest, EveryShortRangeEqualsEncodingAgain) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(1);
    const std::size_t size = chunk_size_from(oracle, 18);
    const auto stripe = random_stripe(oracle, prng, size);
    const bool all = size < 40;  // else some
    for (unsigned index = 0; index < std::min(oracle.k(), 3u); ++index)
      for (std::size_t offset = 0; offset <= size; ++offset)
        for (std::size_t length = 0; length <= size - offset; ++length) {
          if (!all && prng.below(size * size / 200) != 0) continue;
          const Change change = make_change(stripe, index, offset, length, prng);
          auto data = data_of(oracle, stripe);
          put_after(change, data);
          auto parity = parity_of(oracle, stripe);
          ASSERT_NO_FATAL_FAILURE(run(code, change, prng.below(2) == 0, regions(parity)));
          ASSERT_TRUE(parity == parity_of(oracle, oracle.encode(data))) << index << " " << offset << "+" << length;
        }
  });
}

// Parity holders may be told one by one, in any order.
TEST_P(UpdateTest, NullParitiesAreLeftOut) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(15); ++seed) {
      base::Prng prng(seed);
      const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
      const Change change = random_change(stripe, oracle.k(), prng);
      auto data = data_of(oracle, stripe);
      put_after(change, data);
      const auto expected = parity_of(oracle, oracle.encode(data));
      auto parity = parity_of(oracle, stripe);
      const ChunkSet told = random_subset(prng, ChunkSet::range(0, oracle.m()), 1 + prng.below(oracle.m()));
      auto targets = regions(parity);
      for (unsigned row = 0; row < oracle.m(); ++row)
        if (!told.contains(row)) targets[row] = Region();
      ASSERT_NO_FATAL_FAILURE(run(code, change, seed % 2 == 0, targets));
      for (unsigned row = 0; row < oracle.m(); ++row)
        ASSERT_EQ(parity[row], told.contains(row) ? expected[row] : stripe[oracle.k() + row]) << "seed " << seed;
    }
  });
}

TEST_P(UpdateTest, ChangesCommute) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(10); ++seed) {
      base::Prng prng(seed);
      const auto stripe = random_stripe(oracle, prng, chunk_size_from(oracle, 20 + prng.below(200)));
      auto data = data_of(oracle, stripe);
      std::array<Change, 3> changes;
      for (Change& change : changes) {  // each on top of those before it, which may overlap
        change = random_change(data, oracle.k(), prng);
        put_after(change, data);
      }
      const auto expected = parity_of(oracle, oracle.encode(data));
      std::array<std::size_t, 3> order = {0, 1, 2};
      do {
        auto parity = parity_of(oracle, stripe);
        for (const std::size_t i : order) ASSERT_NO_FATAL_FAILURE(run(code, changes[i], i == 1, regions(parity)));
        ASSERT_TRUE(parity == expected) << "seed " << seed;
      } while (std::next_permutation(order.begin(), order.end()));
    }
  });
}

/// Replaces some chunks of a stripe in random order; `told` says which parities are not null.
void check_replace(const Oracle& oracle, const Code& code, std::size_t chunk_size, base::Prng& prng) {
  const auto stripe = random_stripe(oracle, prng, chunk_size);
  auto data = data_of(oracle, stripe);
  std::vector<unsigned> order;
  for (const unsigned i : random_subset(prng, ChunkSet::range(0, oracle.k()), prng.below(oracle.k() + 1)))
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(prng.below(order.size() + 1)), i);
  const auto deltas = random_chunks(prng, order.size(), chunk_size);
  std::vector<ConstIndexedRegion> listed;
  for (std::size_t i = 0; i < order.size(); ++i) {
    listed.push_back({order[i], region(deltas[i])});
    for (std::size_t at = 0; at < chunk_size; ++at) data[order[i]][at] ^= deltas[i][at];
  }
  const auto expected = parity_of(oracle, oracle.encode(data));
  auto parity = parity_of(oracle, stripe);
  auto targets = regions(parity);
  const unsigned left_out = prng.below(2) == 0 ? static_cast<unsigned>(prng.below(oracle.m())) : oracle.m();
  if (left_out < oracle.m() && oracle.m() > 1) targets[left_out] = Region();
  const auto done = code.replace(listed, targets);
  ASSERT_TRUE(done.has_value()) << done.error().message();
  for (unsigned row = 0; row < oracle.m(); ++row)
    ASSERT_TRUE(parity[row] == (targets[row].data == nullptr ? stripe[oracle.k() + row] : expected[row]))
        << order.size() << " chunks of " << chunk_size << ", parity " << row;
}

TEST_P(UpdateTest, ReplaceEqualsEncodingAgain) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    for (std::uint64_t seed = 0; seed < base::seed_count(20); ++seed) {
      base::Prng prng(seed);
      ASSERT_NO_FATAL_FAILURE(check_replace(oracle, code, random_chunk_size(oracle, prng), prng)) << "seed " << seed;
    }
  });
}

// encode(new) = parity XOR delta: every changed range at once, whatever their order, comes to the same.
TEST_P(UpdateTest, DeltasOfAllChunksMakeTheNewParity) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(3);
    const auto stripe = random_stripe(oracle, prng, random_chunk_size(oracle, prng));
    const std::size_t size = stripe[0].size();
    const auto data = random_chunks(prng, oracle.k(), size);
    struct Piece {
      unsigned index;
      std::size_t offset, length;
    };
    std::vector<Piece> pieces;
    for (unsigned index = 0; index < oracle.k(); ++index)
      for (std::size_t offset = 0, length = 0; offset < size; offset += length) {
        length = 1 + prng.below(size - offset);
        const auto at = static_cast<std::ptrdiff_t>(prng.below(pieces.size() + 1));
        pieces.insert(pieces.begin() + at, {index, offset, length});
      }
    auto parity = parity_of(oracle, stripe);
    for (const auto& [index, offset, length] : pieces) {
      Bytes delta(length);
      for (std::size_t i = 0; i < length; ++i) delta[i] = stripe[index][offset + i] ^ data[index][offset + i];
      ASSERT_TRUE(code.apply_delta(index, offset, region(delta), regions(parity)).has_value());
    }
    EXPECT_TRUE(parity == parity_of(oracle, oracle.encode(data)));
  });
}

// A stripe that grows: chunks that were zero are filled one by one, then taken out again.
TEST_P(UpdateTest, ReplaceFillsAndRemoves) {
  for_each_code([&](const Oracle& oracle, const Code& code) {
    base::Prng prng(2);
    const std::size_t size = chunk_size_from(oracle, 64);
    const auto stripe = random_stripe(oracle, prng, size);
    std::vector<Bytes> parity(oracle.m(), Bytes(size));
    for (unsigned i = 0; i < oracle.k(); ++i) {
      const ConstIndexedRegion one{i, region(stripe[i])};
      ASSERT_TRUE(code.replace({&one, 1}, regions(parity)).has_value());
    }
    EXPECT_TRUE(parity == parity_of(oracle, stripe));
    std::vector<ConstIndexedRegion> all;
    for (unsigned i = 0; i < oracle.k(); ++i) all.push_back({i, region(stripe[i])});
    ASSERT_TRUE(code.replace(all, regions(parity)).has_value());
    EXPECT_TRUE(parity == std::vector<Bytes>(oracle.m(), Bytes(size)));
  });
}

constexpr const char* more_codes[] = {"rs(40,9)", "xrs(40,8)", "hitchhiker(40,8)", "lrc(40,5,4)", "cauchy_good(12,4)"};
INSTANTIATE_TEST_SUITE_P(Codes, UpdateTest, testing::ValuesIn(by_family(tiny_codes, small_codes, more_codes)),
                         family_name);

}  // namespace
}  // namespace parapet::codec

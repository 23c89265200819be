#include "store/parity_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <set>

#include "base/prng.h"
#include "layout/shard_header.h"

namespace parapet::store {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// One of each family, in shapes that differ in sub-chunks and packets.
constexpr const char* codes[] = {"rs(4,2)",
                                 "rs(3,3,matrix=jerasure)",
                                 "reed_sol_r6_op(5,2)",
                                 "xrs(4,2)",
                                 "xrs(3,5)",
                                 "hitchhiker(4,2)",
                                 "lrc(4,2,2)",
                                 "lrc(5,1,2,groups=uniform)",
                                 "clay(4,2)",
                                 "clay(3,3)",
                                 "rdp(4,2)",
                                 "evenodd(3,2)",
                                 "cauchy_orig(3,3,w=4,packetsize=8)",
                                 "cauchy_good(3,2,packetsize=512)",
                                 "cauchy_good(3,2,w=12)",
                                 "liberation(3,2,packetsize=8)",
                                 "blaum_roth(3,2,w=6,packetsize=24)",
                                 "liber8tion(5,2,packetsize=8)",
                                 "xor(6,1)",
                                 "replication(1,3)"};

class ParityRowsTest : public ::testing::TestWithParam<const char*> {
 protected:
  ParityRowsTest()
      : code_(Code::parse(GetParam()).value()),
        chunk_size_(static_cast<std::uint32_t>(3 * layout::Rows(code_.alpha(), code_.packet_size()).granule())),
        geometry_(code_, chunk_size_),
        data_(code_.k(), Bytes(chunk_size_)) {
    for (Bytes& bytes : data_) prng_.fill(bytes.data(), bytes.size());
  }

  std::vector<Bytes> encode() const {
    std::vector<Bytes> parity(code_.m(), Bytes(chunk_size_));
    std::vector<ConstRegion> from;
    std::vector<Region> to;
    for (const Bytes& bytes : data_) from.emplace_back(bytes.data(), bytes.size());
    for (Bytes& bytes : parity) to.emplace_back(bytes.data(), bytes.size());
    EXPECT_TRUE(code_.encode(from, to));
    return parity;
  }

  struct Change {
    unsigned chain;
    std::size_t offset;
    Bytes delta;
  };
  /// Changes a range of a data chunk.
  Change change(unsigned chain, std::size_t offset, std::size_t length) {
    Change change{chain, offset, Bytes(length)};
    prng_.fill(change.delta.data(), length);
    for (std::size_t i = 0; i < length; ++i) data_[chain][offset + i] ^= change.delta[i];
    return change;
  }
  Change random_change() {
    const std::size_t length = 1 + prng_.below(prng_.below(2) == 0 ? 100 : chunk_size_ / 2);
    const auto chain = static_cast<unsigned>(prng_.below(code_.k()));
    return change(chain, prng_.below(chunk_size_ - length + 1), length);
  }

  void apply(const ParityRows& rows, Bytes& parity) const {
    for (const auto& [row, bytes] : rows.rows()) {
      ASSERT_EQ(bytes.size(), geometry_.row_size());
      std::size_t at = 0;
      for (std::uint32_t block : geometry_.blocks_of(row))
        for (std::size_t i = 0; i < layout::block_size; ++i, ++at)
          parity[block * std::size_t{layout::block_size} + i] ^= bytes.data()[at];
    }
  }

  base::Prng prng_{11};
  Code code_;
  std::uint32_t chunk_size_;
  RowGeometry geometry_;
  std::vector<Bytes> data_;
};

std::string name_of(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Families, ParityRowsTest, ::testing::ValuesIn(codes), name_of);

TEST_P(ParityRowsTest, EveryBlockBelongsToOneRow) {
  EXPECT_EQ(geometry_.row_count(), 3u);
  EXPECT_EQ(geometry_.row_size() * geometry_.row_count(), chunk_size_);
  std::set<std::uint32_t> all;
  for (std::uint32_t row = 0; row < geometry_.row_count(); ++row) {
    const auto blocks = geometry_.blocks_of(row);
    EXPECT_EQ(blocks.size() * layout::block_size, geometry_.row_size());
    EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
    all.insert(blocks.begin(), blocks.end());
  }
  EXPECT_EQ(all.size(), chunk_size_ / layout::block_size);
  EXPECT_EQ(*all.rbegin(), all.size() - 1);
}

TEST_P(ParityRowsTest, EveryByteLiesWhereItsBlockDoes) {
  for (std::size_t offset = 0; offset < chunk_size_; offset += 97) {
    const auto place = geometry_.place_of(offset);
    ASSERT_LT(place.row, geometry_.row_count());
    const auto blocks = geometry_.blocks_of(place.row);
    ASSERT_LT(place.offset, geometry_.row_size());
    EXPECT_EQ(blocks[place.offset / layout::block_size], offset / layout::block_size);
    EXPECT_EQ(place.offset % layout::block_size, offset % layout::block_size);
    ASSERT_GT(place.length, 0u);
    // As far as it says, what follows lies together.
    const auto last = geometry_.place_of(offset + place.length - 1);
    EXPECT_EQ(last.row, place.row);
    EXPECT_EQ(last.offset, place.offset + place.length - 1);
  }
}

// Any number of changes in any places: XORed onto the old parity, they make the new one.
TEST_P(ParityRowsTest, ChangesMakeTheParityOfTheNewData) {
  for (unsigned parity = 0; parity < code_.m(); ++parity) {
    Bytes content = encode()[parity];
    ParityRows rows(code_, geometry_, parity);
    for (int i = 0; i < 30; ++i) {
      const Change made = random_change();
      rows.add(made.chain, made.offset, made.delta);
    }
    const Change all = change(0, 0, chunk_size_);
    rows.add(all.chain, all.offset, all.delta);
    apply(rows, content);
    EXPECT_EQ(content, encode()[parity]) << "parity " << parity;
  }
}

TEST_P(ParityRowsTest, OneByteTouchesOneRow) {
  for (int i = 0; i < 20; ++i) {
    Bytes content = encode()[code_.m() - 1];
    const std::size_t offset = prng_.below(chunk_size_);
    const Change made = change(static_cast<unsigned>(prng_.below(code_.k())), offset, 1);
    ParityRows rows(code_, geometry_, code_.m() - 1);
    rows.add(made.chain, made.offset, made.delta);
    ASSERT_EQ(rows.rows().size(), 1u);
    EXPECT_EQ(rows.rows().begin()->first, geometry_.place_of(offset).row);
    apply(rows, content);
    EXPECT_EQ(content, encode()[code_.m() - 1]);
  }
}

TEST_P(ParityRowsTest, RowsOneByOneAreAllOfThemTogether) {
  for (unsigned parity = 0; parity < code_.m(); ++parity) {
    ParityRows together(code_, geometry_, parity);
    std::deque<ParityRows> alone;
    for (std::uint32_t row = 0; row < geometry_.row_count(); ++row) alone.emplace_back(code_, geometry_, parity);
    for (int i = 0; i < 10; ++i) {
      const Change made = random_change();
      together.add(made.chain, made.offset, made.delta);
      for (std::uint32_t row = 0; row < geometry_.row_count(); ++row)
        alone[row].add_in_row(row, made.chain, made.offset, made.delta);
    }
    for (std::uint32_t row = 0; row < geometry_.row_count(); ++row) {
      ASSERT_EQ(alone[row].rows().size(), together.rows().contains(row) ? 1u : 0u) << "no other rows";
      if (!together.rows().contains(row)) continue;
      const auto& a = alone[row].rows().at(row);
      const auto& b = together.rows().at(row);
      EXPECT_TRUE(std::equal(a.data(), a.data() + a.size(), b.data())) << "row " << row;
    }
  }
}

TEST_P(ParityRowsTest, TheSameChangeTwiceIsNone) {
  ParityRows rows(code_, geometry_, 0);
  const Change made = random_change();
  rows.add(made.chain, made.offset, made.delta);
  rows.add(made.chain, made.offset, made.delta);
  for (const auto& [row, bytes] : rows.rows())
    EXPECT_TRUE(std::all_of(bytes.data(), bytes.data() + bytes.size(), [](auto byte) { return byte == 0; }));
}

TEST_P(ParityRowsTest, NothingChangesNothing) {
  ParityRows rows(code_, geometry_, 0);
  rows.add(0, 0, {});
  rows.add_in_row(0, 0, chunk_size_, {});
  EXPECT_TRUE(rows.rows().empty());
}

}  // namespace
}  // namespace parapet::store

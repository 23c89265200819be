#include "shard/slice.h"

#include <gtest/gtest.h>

#include <vector>

namespace parapet::shard {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t unit = 64 * kib;

TEST(Slice, FindsTheExtentsOfAGatheredChunk) {
  // Parts of 20 KiB; of each, bytes 8 KiB to 16 KiB.
  const Slice slice{8 * kib, 8 * kib, 20 * kib};
  const auto extent = [&](std::size_t offset, std::size_t length_max) {
    const Extent found = slice.extent_at(offset, length_max);
    return std::vector<std::size_t>{found.offset, found.length};
  };
  using Pair = std::vector<std::size_t>;
  EXPECT_EQ(extent(0, 100 * kib), (Pair{8 * kib, 8 * kib}));
  EXPECT_EQ(extent(3 * kib, 100 * kib), (Pair{11 * kib, 5 * kib}));
  EXPECT_EQ(extent(8 * kib, 4 * kib), (Pair{28 * kib, 4 * kib}));
  EXPECT_EQ(extent(23 * kib, 9 * kib), (Pair{55 * kib, 1 * kib}));
}

TEST(Slice, OfWholePartsIsOneExtent) {
  const Slice slice{0, 8 * kib, 8 * kib};
  EXPECT_EQ(slice.extent_at(3 * kib, 40 * kib).offset, 3 * kib);
  EXPECT_EQ(slice.extent_at(3 * kib, 40 * kib).length, 40 * kib);
}

TEST(Slice, AreWholeRowsThatStayInCache) {
  const auto gathered = [](unsigned n, const layout::Rows& rows) {
    const std::size_t length = slice_length_max(n, rows, unit);
    EXPECT_EQ(length % rows.piece_size(), 0u);
    return n * rows.part_count() * length;
  };
  EXPECT_EQ(slice_length_max(6, layout::Rows(1, 0), unit), unit);
  EXPECT_LE(gathered(16, layout::Rows(2, 0)), 2u << 20);
  EXPECT_LE(gathered(256, layout::Rows(2, 0)), 8u << 20);
  EXPECT_LE(gathered(16, layout::Rows(8, 24)), 2u << 20);
  // A row that is larger than that is a slice.
  EXPECT_EQ(gathered(16, layout::Rows(256, 0)), 16u << 20);
  EXPECT_EQ(gathered(16, layout::Rows(8, 1 << 20)), 128u << 20);
}

TEST(Slice, LimitTheWorkersWhereTheyAreLarge) {
  EXPECT_EQ(worker_count_max(64, 16, layout::Rows(2, 0), unit), 64u);
  EXPECT_EQ(worker_count_max(64, 24, layout::Rows(4096, 0), 4096), 2u);  // 384 MiB each.
  EXPECT_EQ(worker_count_max(64, 256, layout::Rows(4096, 0), 4096), 1u);
  EXPECT_EQ(worker_count_max(1, 16, layout::Rows(1, 0), unit), 1u);
}

TEST(Slice, CoverAStripe) {
  std::vector<std::size_t> ends;
  const auto note = [&](const Slice& slice) -> Result<void> {
    EXPECT_EQ(slice.position, ends.empty() ? 0 : ends.back());
    EXPECT_EQ(slice.part_size, 20 * kib);
    ends.push_back(slice.position + slice.length);
    return {};
  };
  ASSERT_TRUE(for_each_slice(20 * kib, 8 * kib, note));
  EXPECT_EQ(ends, (std::vector<std::size_t>{8 * kib, 16 * kib, 20 * kib}));
}

}  // namespace
}  // namespace parapet::shard

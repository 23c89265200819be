#include "simenv/sparse_pages.h"

#include <gtest/gtest.h>

#include <vector>

namespace parapet::simenv {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const SparsePages& pages, std::uint64_t offset, std::size_t size) {
  Bytes bytes(size, 0xEE);
  pages.read(offset, bytes);
  return bytes;
}

TEST(SparsePages, UnwrittenBytesAreZerosAndCostNothing) {
  const SparsePages pages;
  EXPECT_EQ(read(pages, std::uint64_t{1} << 60, 10'000), Bytes(10'000));
  EXPECT_EQ(pages.page_count(), 0u);
}

TEST(SparsePages, KeepsBytesAtAnyOffset) {
  SparsePages pages;
  Bytes model(20'000);
  for (std::size_t i = 0; i < 50; ++i) {
    const std::size_t offset = i * 397, size = 1 + i * 11;
    const Bytes bytes(size, static_cast<std::uint8_t>(i));
    pages.write(offset, bytes);
    std::copy(bytes.begin(), bytes.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  EXPECT_EQ(read(pages, 0, model.size()), model);
  EXPECT_EQ(read(pages, 4000, 5000), Bytes(model.begin() + 4000, model.begin() + 9000));
}

TEST(SparsePages, CopiesChangeByThemselves) {
  SparsePages first;
  first.write(0, Bytes(8192, 1));
  SparsePages second = first;
  second.write(100, Bytes(1, 2));
  first.write(5000, Bytes(1, 3));
  EXPECT_EQ(read(first, 100, 1), Bytes{1});
  EXPECT_EQ(read(second, 100, 1), Bytes{2});
  EXPECT_EQ(read(first, 5000, 1), Bytes{3});
  EXPECT_EQ(read(second, 5000, 1), Bytes{1});
}

TEST(SparsePages, TheHashIsOfTheBytes) {
  SparsePages first, second;
  const std::uint64_t empty = first.hash();
  first.write(4096, Bytes(4096, 1));
  EXPECT_NE(first.hash(), empty);
  second.write(8192, Bytes(4096, 1));
  EXPECT_NE(second.hash(), first.hash()) << "elsewhere";
  second.write(8192, Bytes(4096, 0));
  EXPECT_EQ(second.hash(), empty) << "written zeros";
  second.write(4096, Bytes(4096, 1));
  EXPECT_EQ(second.hash(), first.hash());
  second.write(8191, Bytes(1, 2));
  EXPECT_NE(second.hash(), first.hash());
}

}  // namespace
}  // namespace parapet::simenv

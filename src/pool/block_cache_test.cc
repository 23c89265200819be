#include "pool/block_cache.h"

#include <gtest/gtest.h>

#include <vector>

#include "simenv/sim_world.h"

namespace parapet::pool {
namespace {

constexpr std::size_t block_size = 4096;

store::SharedBytes image(std::uint8_t value) {
  return store::shared_bytes(std::vector<std::uint8_t>(block_size, value));
}

BlockCache::Place place(std::uint64_t segment, unsigned chunk, std::uint32_t block) {
  return {layout::SegmentId{segment}, chunk, block};
}

class BlockCacheTest : public testing::Test {
 protected:
  void run(const std::function<void()>& body) { world_.run(body); }
  /// The first byte of each block from `first` on; empty when they are not all there.
  static std::vector<int> find(BlockCache& cache, const BlockCache::Place& first, std::size_t count = 1) {
    std::vector<std::uint8_t> bytes(count * block_size);
    if (!cache.find(first, bytes)) return {};
    std::vector<int> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(bytes[(i + 1) * block_size - 1]);
    return values;
  }
  simenv::SimWorld world_{1};
};

TEST_F(BlockCacheTest, TheNewestImageOfAPlaceIsFound) {
  run([&] {
    BlockCache cache(world_, 16 * block_size);
    EXPECT_EQ(find(cache, place(1, 0, 5)), std::vector<int>());
    const std::vector<store::SharedBytes> two = {image(1), image(2)};
    cache.put(place(1, 0, 5), two);
    EXPECT_EQ(find(cache, place(1, 0, 5), 2), (std::vector<int>{1, 2}));
    const std::vector<store::SharedBytes> newer = {image(3)};
    cache.put(place(1, 0, 6), newer);
    EXPECT_EQ(find(cache, place(1, 0, 5), 2), (std::vector<int>{1, 3}));
    EXPECT_EQ(find(cache, place(1, 0, 6), 2), std::vector<int>()) << "block 7 is not there";
    EXPECT_EQ(find(cache, place(1, 1, 5)), std::vector<int>()) << "another chunk";
    EXPECT_EQ(find(cache, place(2, 0, 5)), std::vector<int>()) << "another segment";
  });
}

TEST_F(BlockCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  run([&] {
    BlockCache cache(world_, 3 * block_size);
    for (std::uint8_t i = 0; i < 3; ++i) cache.put(place(1, 0, i), std::vector{image(i)});
    EXPECT_EQ(find(cache, place(1, 0, 0)), std::vector<int>{0});
    cache.put(place(1, 0, 3), std::vector{image(3)});
    EXPECT_EQ(find(cache, place(1, 0, 1)), std::vector<int>());
    EXPECT_EQ(find(cache, place(1, 0, 0)), std::vector<int>{0});
    EXPECT_EQ(find(cache, place(1, 0, 2), 2), (std::vector<int>{2, 3}));
    cache.clear();
    EXPECT_EQ(find(cache, place(1, 0, 0)), std::vector<int>());
  });
}

TEST_F(BlockCacheTest, OneOfNoSizeKeepsNothing) {
  run([&] {
    BlockCache cache(world_, 0);
    cache.put(place(1, 0, 0), std::vector{image(1)});
    EXPECT_EQ(find(cache, place(1, 0, 0)), std::vector<int>());
  });
}

}  // namespace
}  // namespace parapet::pool

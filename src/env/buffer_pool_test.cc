#include "env/buffer_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace parapet::env {
namespace {

TEST(BufferPool, BytesAreAlignedAndAllThereForEverySize) {
  for (std::size_t size = 1; size < 9 << 20; size += 1 + size / 7) {
    const auto bytes = pooled_bytes(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.get()) % 4096, 0u);
    std::memset(bytes.get(), 1, size);
  }
  EXPECT_NE(pooled_bytes(0), nullptr);
}

TEST(BufferPool, BuffersInUseAreDifferent) {
  std::vector<std::shared_ptr<std::uint8_t>> held;
  std::set<std::uint8_t*> places;
  for (int i = 0; i < 100; ++i) {
    held.push_back(pooled_bytes(8192));
    places.insert(held.back().get());
    if (i % 3 == 0) {
      places.erase(held.front().get());
      held.erase(held.begin());
    }
  }
  EXPECT_EQ(places.size(), held.size());
}

TEST(BufferPool, ABufferOfOneSizeIsNeverGivenOutForALargerOne) {
  for (std::size_t pages = 1; pages < 600; ++pages) {
    pooled_bytes(pages * 4096);
    const auto larger = pooled_bytes((pages + 1) * 4096);
    std::memset(larger.get(), 2, (pages + 1) * 4096);
  }
}

// More than is kept: the pages of most go back to the kernel, and come again.
TEST(BufferPool, BuffersWhosePagesWereGivenBackCanBeUsedAgain) {
  constexpr std::size_t size = 1 << 20;
  for (int round = 0; round < 2; ++round) {
    std::vector<std::shared_ptr<std::uint8_t>> held;
    std::set<std::uint8_t*> places;
    for (std::size_t i = 0; i < kept_size_max / size + 100; ++i) {
      held.push_back(pooled_bytes(size));
      std::memset(held.back().get(), static_cast<int>(i), size);
      places.insert(held.back().get());
    }
    EXPECT_EQ(places.size(), held.size());
    for (std::size_t i = 0; i < held.size(); ++i) {
      EXPECT_EQ(held[i].get()[0], static_cast<std::uint8_t>(i));
      EXPECT_EQ(held[i].get()[size - 1], static_cast<std::uint8_t>(i));
    }
  }
}

TEST(BufferPool, ThreadsTakeAndGiveBackAtOnce) {
  std::vector<std::thread> threads;
  for (std::uint8_t id = 1; id <= 4; ++id)
    threads.emplace_back([id] {
      for (std::size_t i = 0; i < 2000; ++i) {
        const std::size_t size = 4096 * (1 + i % 9);
        const auto bytes = pooled_bytes(size);
        std::memset(bytes.get(), id, size);
        ASSERT_EQ(bytes.get()[size - 1], id);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace parapet::env

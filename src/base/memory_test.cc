// The two ways to hold memory whose size is known at run time.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/stack_array.h"

namespace parapet::base {
namespace {

TEST(AlignedBuffer, HasItsSizeAndAlignment) {
  for (const std::size_t alignment : {1u, 2u, 16u, 64u, 4096u})
    for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 10'000u}) {
      const AlignedBuffer buffer(size, alignment);
      EXPECT_EQ(buffer.size(), size);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % alignment, 0u);
      EXPECT_EQ(buffer.span().data(), buffer.data());
      EXPECT_EQ(buffer.span().size(), size);
      for (std::uint8_t& byte : buffer.span()) byte = 7;
    }
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(AlignedBuffer(3).data()) % 64, 0u);
}

TEST(AlignedBuffer, StartsEmpty) {
  const AlignedBuffer buffer;
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.data(), nullptr);
}

TEST(AlignedBuffer, MovesWithoutCopying) {
  AlignedBuffer first(100, 4096);
  first.data()[99] = 42;
  std::uint8_t* const bytes = first.data();
  AlignedBuffer second(std::move(first));
  EXPECT_EQ(second.data(), bytes);
  EXPECT_EQ(second.size(), 100u);
  AlignedBuffer third(5, 1);
  third = std::move(second);  // Must free the five bytes with their own alignment and take over the other one.
  EXPECT_EQ(third.data(), bytes);
  EXPECT_EQ(third.size(), 100u);
  EXPECT_EQ(third.data()[99], 42);
}

template <std::size_t inline_size_max>
void expect_holds(std::size_t size, bool on_stack) {
  StackArray<std::uint32_t, inline_size_max> array(size);
  ASSERT_EQ(array.size(), size);
  for (std::uint32_t i = 0; i < size; ++i) array[i] = i * i;
  const auto& fixed = array;
  for (std::uint32_t i = 0; i < size; ++i) EXPECT_EQ(fixed[i], i * i);
  EXPECT_EQ(fixed.first(size).data(), fixed.data());
  EXPECT_EQ(array.first(size / 2).size(), size / 2);
  const auto inside = reinterpret_cast<std::uintptr_t>(array.data()) - reinterpret_cast<std::uintptr_t>(&array);
  EXPECT_EQ(inside < sizeof array, on_stack) << size;
}

TEST(StackArray, IsOnTheStackUpToItsBoundAndOnTheHeapBeyond) {
  expect_holds<4>(0, true);
  expect_holds<4>(1, true);
  expect_holds<4>(4, true);
  expect_holds<4>(5, false);
  expect_holds<4>(1000, false);
}

}  // namespace
}  // namespace parapet::base

#include "sim/model.h"

#include <gtest/gtest.h>

namespace parapet::sim {
namespace {

constexpr std::size_t block_size = 4096;

Bytes filled(std::uint8_t value, std::size_t size = block_size) { return Bytes(size, value); }

TEST(SegmentModel, ReadsTheLastVersion) {
  SegmentModel model(2 * block_size);
  EXPECT_EQ(model.bytes(0, 3), Bytes(3, 0));
  model.begin_write(4090, filled(7, 10));
  EXPECT_EQ(model.bytes(4089, 12), (Bytes{0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0}));
}

TEST(SegmentModel, TakesAnyVersionSinceTheLastFlush) {
  for (const std::uint8_t is : Bytes{1, 2, 3}) {
    SegmentModel model(block_size);
    for (const std::uint8_t value : Bytes{1, 2, 3}) {
      model.begin_write(0, filled(value));
      model.end_write(0, block_size, value);
    }
    model.flushed(2);
    const auto wrong = model.settle(filled(is));
    EXPECT_EQ(wrong.has_value(), is == 1) << int(is);
    if (!wrong) {
      EXPECT_EQ(model.bytes(0, block_size), filled(is));
    }
  }
}

TEST(SegmentModel, AWriteThatDidNotReturnIsNotFlushed) {
  SegmentModel model(block_size);
  model.begin_write(0, filled(1));
  model.flushed(100);
  EXPECT_FALSE(model.settle(filled(0)).has_value());
}

TEST(SegmentModel, RefusesATornBlock) {
  SegmentModel model(block_size);
  model.begin_write(0, filled(1));
  Bytes torn = filled(1);
  torn.back() = 0;
  EXPECT_TRUE(model.settle(torn).has_value());
}

TEST(SegmentModel, WhatWasSettledStays) {
  SegmentModel model(block_size);
  model.begin_write(0, filled(1));
  model.end_write(0, block_size, 1);
  ASSERT_FALSE(model.settle(filled(1)).has_value());
  EXPECT_TRUE(model.settle(filled(0)).has_value());
}

}  // namespace
}  // namespace parapet::sim

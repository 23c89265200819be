#include "layout/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace parapet::layout {
namespace {

TEST(Bytes, WritesLittleEndianValuesOneAfterAnother) {
  std::array<std::uint8_t, 16> bytes;
  bytes.fill(0xee);
  ByteWriter writer(bytes);
  writer.put(std::uint32_t{0x04030201});
  writer.put(std::uint8_t{5});
  writer.put(std::uint64_t{0x0d0c0b0a09080706});
  EXPECT_EQ(writer.used(), 13u);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 16>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0xee, 0xee, 0xee}));
}

TEST(Bytes, WritesRangesAndNothingFromEmptyOnes) {
  std::array<std::uint8_t, 4> bytes{};
  const std::array<std::uint8_t, 3> range = {7, 8, 9};
  ByteWriter writer(bytes);
  writer.put(nullptr, 0);
  writer.put(range.data(), range.size());
  EXPECT_EQ(writer.used(), 3u);
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{7, 8, 9, 0}));
}

TEST(Bytes, FillsABufferToItsLastByte) {
  std::array<std::uint8_t, 8> bytes{};
  ByteWriter writer(bytes);
  writer.put(~std::uint64_t{0});
  EXPECT_EQ(writer.used(), bytes.size());
  EXPECT_EQ(bytes[7], 0xff);
}

TEST(BytesDeathTest, WritingBeyondTheBufferAborts) {
  std::array<std::uint8_t, 8> bytes{};
  ByteWriter writer(bytes);
  writer.put(std::uint32_t{1});
  EXPECT_DEATH(writer.put(std::uint64_t{2}), "bytes_.size");
  EXPECT_DEATH(writer.put(bytes.data(), ~std::size_t{0}), "bytes_.size");
}

TEST(Bytes, ReadsBackWhatWasWritten) {
  const std::array<std::uint8_t, 9> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.get<std::uint8_t>(), 1);
  EXPECT_EQ(reader.get<std::uint32_t>(), 0x05040302u);
  const auto rest = reader.get(4);
  EXPECT_EQ(rest.data(), bytes.data() + 5);
  EXPECT_EQ(rest.size(), 4u);
  EXPECT_EQ(reader.used(), 9u);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.get(0).empty());
  EXPECT_TRUE(reader.ok()) << "nothing can be read at the end";
}

TEST(Bytes, ReadsZerosBeyondTheEndAndIsNotOkAnyMore) {
  const std::array<std::uint8_t, 6> bytes = {1, 2, 3, 4, 5, 6};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.get<std::uint32_t>(), 0x04030201u);
  EXPECT_EQ(reader.get<std::uint32_t>(), 0u) << "half of it is there";
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.used(), 4u);
  EXPECT_EQ(reader.get<std::uint8_t>(), 0) << "also where bytes are left";
  EXPECT_TRUE(reader.get(1).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, ASizeThatOverflowsIsBeyondTheEnd) {
  const std::array<std::uint8_t, 6> bytes{};
  ByteReader reader(bytes);
  reader.get(5);
  EXPECT_TRUE(reader.get(~std::size_t{0}).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Bytes, AnEmptyBufferGivesZeros) {
  ByteReader reader({});
  EXPECT_EQ(reader.get<std::uint64_t>(), 0u);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace parapet::layout

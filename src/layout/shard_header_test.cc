#include "layout/shard_header.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "base/crc32c.h"

namespace parapet::layout {
namespace {

ShardHeader valid_header() {
  ShardHeader header;
  for (std::uint8_t i = 0; i < 16; ++i) header.set_id.bytes[i] = static_cast<std::uint8_t>(0xa0 + i);
  header.k = 12;
  header.m = 4;
  header.index = 15;
  header.alpha = 2;
  header.granule_size = 8192;
  header.chunk_size = 1 << 20;
  header.unit_size = 64 << 10;
  header.file_length = 0x0123456789ab;
  header.code = "xrs(12,4)";
  return header;
}

void seal(HeaderBlock& block) {
  const std::uint32_t crc = base::crc32c(0, block.data(), 4092);
  std::memcpy(block.data() + 4092, &crc, 4);
}

ErrorCode decode_error(const HeaderBlock& block) {
  const auto header = decode_header(block);
  return header ? ErrorCode::not_found : header.error().code;
}

TEST(ShardHeader, RoundTrips) {
  const auto block = encode_header(valid_header());
  ASSERT_TRUE(block);
  const auto header = decode_header(*block);
  ASSERT_TRUE(header) << header.error().message();
  EXPECT_EQ(*header, valid_header());
}

// The offset table of docs/formats/shard.md, byte by byte.
TEST(ShardHeader, LiesAsDocumented) {
  const HeaderBlock block = encode_header(valid_header()).value();
  const auto u32 = [&](std::size_t offset) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | block[offset + i];
    return value;
  };
  EXPECT_EQ(std::memcmp(block.data(), "PARASHRD", 8), 0);
  EXPECT_EQ(u32(8), 1u);
  EXPECT_EQ(u32(12), 4096u);
  EXPECT_EQ(block[16], 0xa0);
  EXPECT_EQ(block[31], 0xaf);
  EXPECT_EQ(u32(32), 12u);
  EXPECT_EQ(u32(36), 4u);
  EXPECT_EQ(u32(40), 15u);
  EXPECT_EQ(u32(44), 2u);
  EXPECT_EQ(u32(48), 4096u);
  EXPECT_EQ(u32(52), 8192u);
  EXPECT_EQ(u32(56), 1048576u);
  EXPECT_EQ(u32(60), 65536u);
  EXPECT_EQ(u32(64), 0x456789abu);
  EXPECT_EQ(u32(68), 0x0123u);
  EXPECT_EQ(std::memcmp(block.data() + 72, "xrs(12,4)\0", 10), 0);
  for (std::size_t i = 81; i < 4092; ++i) ASSERT_EQ(block[i], 0) << i;
  EXPECT_EQ(u32(4092), base::crc32c(0, block.data(), 4092));
}

TEST(ShardHeader, RefusesEverySingleBitFlip) {
  HeaderBlock block = encode_header(valid_header()).value();
  for (std::size_t bit = 0; bit < 8 * block.size(); ++bit) {
    block[bit / 8] = static_cast<std::uint8_t>(block[bit / 8] ^ (1u << bit % 8));
    ASSERT_FALSE(decode_header(block)) << bit;
    block[bit / 8] = static_cast<std::uint8_t>(block[bit / 8] ^ (1u << bit % 8));
  }
}

TEST(ShardHeader, RefusesShortInput) {
  const HeaderBlock block = encode_header(valid_header()).value();
  for (const std::size_t size : {0u, 1u, 8u, 4095u}) EXPECT_FALSE(decode_header(std::span(block).first(size))) << size;
}

TEST(ShardHeader, TellsAnotherVersionFromDamage) {
  HeaderBlock block = encode_header(valid_header()).value();
  block[8] = 2;
  EXPECT_EQ(decode_error(block), ErrorCode::corrupt);
  seal(block);
  EXPECT_EQ(decode_error(block), ErrorCode::unsupported);
}

TEST(ShardHeader, RefusesNonZeroReservedBytesAndOtherConstants) {
  for (const std::size_t offset : {12u, 49u, 72u + 20u, 199u, 200u, 4091u}) {
    HeaderBlock block = encode_header(valid_header()).value();
    block[offset] ^= 0x40;
    seal(block);
    EXPECT_EQ(decode_error(block), ErrorCode::corrupt) << offset;
  }
}

TEST(ShardHeader, RefusesFieldsOutOfBounds) {
  const std::function<void(ShardHeader&)> mistakes[] = {
      [](ShardHeader& h) { h.k = 0; },
      [](ShardHeader& h) { h.m = 0; },
      [](ShardHeader& h) { h.k = 253; },
      [](ShardHeader& h) { h.k = 0xffffffff; },
      [](ShardHeader& h) { h.index = 16; },
      [](ShardHeader& h) { h.alpha = 0; },
      [](ShardHeader& h) { h.alpha = 0xffffffff; },
      [](ShardHeader& h) { h.granule_size = 2048; },
      [](ShardHeader& h) { h.granule_size = 0; },
      [](ShardHeader& h) { h.chunk_size = 0; },
      [](ShardHeader& h) { h.chunk_size = 8192 + 4096; },
      [](ShardHeader& h) { h.chunk_size = chunk_size_max + 8192; },
      [](ShardHeader& h) { h.unit_size = 0; },
      [](ShardHeader& h) { h.unit_size = 1000; },
      [](ShardHeader& h) { h.file_length = file_length_max + 1; },
      [](ShardHeader& h) { h.code = ""; },
      [](ShardHeader& h) { h.code = std::string(129, 'a'); },
      [](ShardHeader& h) { h.code = "rs(4,\n2)"; },
  };
  for (const auto& mistake : mistakes) {
    ShardHeader header = valid_header();
    mistake(header);
    EXPECT_FALSE(encode_header(header)) << &mistake - mistakes;
  }
}

TEST(ShardHeader, ChecksBoundsAlsoBehindAValidChecksum) {
  HeaderBlock block = encode_header(valid_header()).value();
  block[40] = 16;  // The index.
  seal(block);
  EXPECT_EQ(decode_error(block), ErrorCode::corrupt);
}

}  // namespace
}  // namespace parapet::layout

#include "layout/block_checksum.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/crc32c.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

SetId id_of(std::uint8_t byte) {
  SetId id;
  id.bytes.fill(byte);
  return id;
}

// The definition in docs/formats/shard.md.
TEST(BlockChecksum, CoversThePlaceAndTheBytes) {
  std::vector<std::uint8_t> message(16, 7);
  for (const int byte : {5, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 3, 2, 0, 0})
    message.push_back(static_cast<std::uint8_t>(byte));
  message.insert(message.end(), 4096, 0xee);
  const std::vector<std::uint8_t> block(4096, 0xee);
  EXPECT_EQ(BlockChecksums(id_of(7), 5).of(0x100000009, 0x203, block.data()),
            base::crc32c(0, message.data(), message.size()));
}

TEST(BlockChecksum, DiffersBetweenAllPlacesOfTheSameBytes) {
  const std::vector<std::uint8_t> block(4096, 0);
  std::set<std::uint32_t> seen;
  for (const std::uint8_t set : {std::uint8_t{1}, std::uint8_t{2}})
    for (std::uint32_t shard = 0; shard < 8; ++shard)
      for (std::uint64_t stripe = 0; stripe < 8; ++stripe)
        for (std::uint32_t index = 0; index < 8; ++index)
          seen.insert(BlockChecksums(id_of(set), shard).of(stripe, index, block.data()));
  EXPECT_EQ(seen.size(), 2u * 8 * 8 * 8);
}

TEST(BlockChecksum, KnowsAnIntactArea) {
  const BlockChecksums checksums(id_of(1), 2);
  std::vector<std::uint8_t> area(4096, 0xff);
  for (std::uint32_t block = 0; block < 10; ++block) set_area_entry(area, block, 100 + block);
  checksums.seal_area(3, 10, area);
  EXPECT_TRUE(checksums.area_intact(3, area));
  EXPECT_EQ(area_entry(area, 9), 109u);
  EXPECT_EQ(area_entry(area, 10), 0u);
  EXPECT_FALSE(checksums.area_intact(4, area));
  EXPECT_FALSE(BlockChecksums(id_of(1), 3).area_intact(3, area));
  for (const std::size_t offset : {0u, 39u, 40u, 4091u, 4092u, 4095u}) {
    area[offset] ^= 1;
    EXPECT_FALSE(checksums.area_intact(3, area)) << offset;
    area[offset] ^= 1;
  }
}

TEST(SetId, IsWrittenInHexadecimal) {
  SetId id;
  id.bytes[0] = 0x0f;
  id.bytes[15] = 0xa0;
  EXPECT_EQ(id.text(), "0f0000000000000000000000000000a0");
}

}  // namespace
}  // namespace parapet::layout

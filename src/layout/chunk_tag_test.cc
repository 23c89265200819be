#include "layout/chunk_tag.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "base/test_seeds.h"
#include "layout/format_testing.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

using Bytes = std::vector<std::uint8_t>;

const TagShape parity_shape = parity_tag_shape(3, 2);

ChunkTag valid_tag() {
  ChunkTag tag({0x0102030405060708}, 4, parity_shape);
  tag.home = {{1, 10}, {2, 20}, {0, 0}};
  tag.reserved = {{1, 11}, {3, 0}, {0, 0}};
  tag.reserve_used = 8192;
  for (std::uint32_t i = 0; i < tag.checksums.size(); ++i) tag.checksums[i] = 0xc0000000 + i;
  return tag;
}

Bytes encode(const ChunkTag& tag, const TagShape& shape) {
  Bytes bytes(tag_size(shape), 0xee);
  encode_tag(tag, shape, bytes);
  return bytes;
}

Result<ChunkTag> decode_valid(const Bytes& bytes) { return decode_tag(valid_tag().segment, 4, parity_shape, bytes); }

UpdateId random_id(base::Prng& random) { return {static_cast<std::uint32_t>(random()), random()}; }

ChunkTag random_tag(base::Prng& random, const TagShape& shape) {
  ChunkTag tag({random()}, static_cast<std::uint32_t>(random()), shape);
  for (std::size_t i = 0; i < shape.chain_count; ++i) {
    std::tie(tag.home[i], tag.reserved[i]) = std::minmax({random_id(random), random_id(random)});
    if (random.below(3) == 0) tag.reserved[i] = tag.home[i];
  }
  tag.reserve_used = static_cast<std::uint32_t>(block_size * random.below(1 << 20));
  for (std::uint32_t& checksum : tag.checksums) checksum = static_cast<std::uint32_t>(random());
  return tag;
}

TEST(ChunkTag, ShapesFollowFromTheChunk) {
  EXPECT_EQ(data_tag_shape(256), (TagShape{1, 256, 256}));
  EXPECT_EQ(parity_tag_shape(3, 256), (TagShape{3, 256, 1024}));
}

TEST(ChunkTag, SizesAreWholeBlocks) {
  EXPECT_EQ(tag_size(data_tag_shape(1)), 4096u);
  EXPECT_EQ(tag_size(data_tag_shape(1004)), 4096u) << "48 + 32 + 4 * 1004";
  EXPECT_EQ(tag_size(data_tag_shape(1005)), 8192u);
  EXPECT_EQ(tag_size(parity_tag_shape(12, 256)), 4 * 4096u);
  EXPECT_EQ(tag_size(parity_tag_shape(63, chunk_size_max / block_size)), 67112960u)
      << "48 + 32 * 63 + 4 * 64 * 2^18, as whole blocks";
}

TEST(ChunkTag, RandomFieldsRoundTrip) {
  for (std::uint64_t seed = 0; seed < base::seed_count(300); ++seed) {
    base::Prng random(seed);
    const auto blocks = static_cast<std::uint32_t>(1 + random.below(600));
    const TagShape shape = random.below(2) == 0
                               ? data_tag_shape(blocks)
                               : parity_tag_shape(static_cast<std::uint32_t>(1 + random.below(20)), blocks);
    const ChunkTag written = random_tag(random, shape);
    const auto read = decode_tag(written.segment, written.chunk, shape, encode(written, shape));
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message();
    ASSERT_EQ(*read, written) << "seed " << seed;
  }
}

TEST(ChunkTag, OneOfNothingWrittenRoundTrips) {
  const TagShape shape = data_tag_shape(5);
  const ChunkTag tag({3}, 1, shape);
  EXPECT_EQ(tag.checksums, std::vector<std::uint32_t>(5, checksum_unwritten));
  EXPECT_EQ(decode_tag({3}, 1, shape, encode(tag, shape)).value(), tag);
}

// The offset table of docs/formats/device.md, byte by byte.
TEST(ChunkTag, LiesAsDocumented) {
  const Bytes bytes = encode(valid_tag(), parity_shape);
  const auto u32 = [&](std::size_t offset) { return field(bytes, offset, 4); };
  const auto u64 = [&](std::size_t offset) { return field(bytes, offset, 8); };
  ASSERT_EQ(bytes.size(), 4096u);
  EXPECT_EQ(std::memcmp(bytes.data(), "PTAG", 4), 0);
  EXPECT_EQ(u32(4), base::crc32c(0, bytes.data() + 8, 4088));
  EXPECT_EQ(u64(8), 0x0102030405060708u);
  EXPECT_EQ(u32(16), 4u);
  EXPECT_EQ(u32(20), 3u);
  EXPECT_EQ(u32(24), 2u);
  EXPECT_EQ(u32(28), 8u);
  EXPECT_EQ(u32(32), 8192u);
  for (std::size_t i = 36; i < 48; ++i) EXPECT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(u64(48), 10u);
  EXPECT_EQ(u32(56), 1u);
  EXPECT_EQ(u32(60), 0u);
  EXPECT_EQ(u64(64), 20u);
  EXPECT_EQ(u32(72), 2u);
  EXPECT_EQ(u64(96), 11u);
  EXPECT_EQ(u32(104), 1u);
  EXPECT_EQ(u64(112), 0u);
  EXPECT_EQ(u32(120), 3u);
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(u32(144 + 4 * i), 0xc0000000u + i);
  for (std::size_t i = 176; i < 4096; ++i) ASSERT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(u32(4), 0x05af939bu);
}

TEST(ChunkTag, RefusesEverySingleBitFlip) {
  Bytes bytes = encode(valid_tag(), parity_shape);
  expect_no_flipped_bit_passes(bytes, 0, bytes.size(), [&] { return decode_valid(bytes).has_value(); });
}

TEST(ChunkTag, AGoodTagOfAnotherChunkIsRefused) {
  const Bytes bytes = encode(valid_tag(), parity_shape);
  const auto says = [&](const char* what, SegmentId segment, std::uint32_t chunk, const TagShape& shape) {
    const auto tag = decode_tag(segment, chunk, shape, bytes);
    return !tag && tag.error().code == ErrorCode::corrupt && tag.error().message().find(what) != std::string::npos;
  };
  const SegmentId segment = valid_tag().segment;
  EXPECT_TRUE(decode_tag(segment, 4, parity_shape, bytes));
  EXPECT_TRUE(says("lies another one", {segment.value + 1}, 4, parity_shape));
  EXPECT_TRUE(says("lies another one", segment, 3, parity_shape));
  EXPECT_TRUE(says("another shape", segment, 4, parity_tag_shape(2, 2)));
  EXPECT_TRUE(says("another shape", segment, 4, data_tag_shape(2)));
  EXPECT_TRUE(says("another shape", segment, 4, {3, 4, 8}));
}

TEST(ChunkTag, ChecksFieldsBehindAValidChecksum) {
  const FieldChange mistakes[] = {
      {"magic", 0, 1, 'p'},
      {"chains", 20, 4, 0xffffffff},
      {"blocks", 24, 4, 1},
      {"checksums", 28, 4, 9},
      {"reserve of no whole block", 32, 4, 8192 + 64},
      {"reserved in the head", 36, 4, 1},
      {"reserved in the head", 44, 4, 0x80000000},
      {"reserved in an id of the home", 60, 4, 1},
      {"home beyond the reserve, by ballot", 72, 4, 4},
      {"home beyond the reserve, by counter", 48, 8, 12},
      {"home beyond an empty reserve", 80, 8, 1},
      {"reserved in an id of the reserve", 108, 4, 1},
      {"behind the checksums", 176, 1, 1},
      {"at the end", 4095, 1, 0x80},
  };
  for (const FieldChange& mistake : mistakes) {
    Bytes bytes = encode(valid_tag(), parity_shape);
    set_field(bytes, mistake.offset, mistake.size, mistake.value);
    set_crc(bytes, 4, 8, bytes.size());
    const auto tag = decode_valid(bytes);
    ASSERT_FALSE(tag) << mistake.what << " at " << mistake.offset << ": " << mistake.value;
    EXPECT_EQ(tag.error().code, ErrorCode::corrupt);
  }
}

TEST(ChunkTagDeathTest, TagsThatContradictThemselvesAreNotWritten) {
  ChunkTag tag = valid_tag();
  tag.home[2] = {0, 1};
  EXPECT_DEATH(encode(tag, parity_shape), "consistent");
  tag = valid_tag();
  tag.reserve_used = 100;
  EXPECT_DEATH(encode(tag, parity_shape), "consistent");
}

// --- checksums of blocks --------------------------------------------------------------------------------------------

Bytes random_block(std::uint64_t seed) {
  Bytes block(block_size);
  base::Prng(seed).fill(block.data(), block.size());
  return block;
}

TEST(ChunkBlockChecksum, CoversThePlace) {
  const Bytes block = random_block(1);
  Bytes placed(16);
  set_field(placed, 0, 8, 0x0102030405060708);
  set_field(placed, 8, 4, 5);
  set_field(placed, 12, 4, 6);
  placed.insert(placed.end(), block.begin(), block.end());
  const std::uint32_t checksum = chunk_block_checksum({0x0102030405060708}, 5, 6, block.data());
  EXPECT_EQ(checksum, base::crc32c(0, placed.data(), placed.size()));
  EXPECT_EQ(checksum, 0x774d82eau);
  EXPECT_NE(checksum, chunk_block_checksum({0x0102030405060709}, 5, 6, block.data()));
  EXPECT_NE(checksum, chunk_block_checksum({0x0102030405060708}, 6, 5, block.data()));
  EXPECT_NE(checksum, chunk_block_checksum({0x0102030405060708}, 5, 7, block.data()));
}

TEST(ChunkBlockChecksum, EverySingleBitFlipChangesIt) {
  Bytes block = random_block(2);
  const std::uint32_t good = chunk_block_checksum({7}, 1, 2, block.data());
  expect_no_flipped_bit_passes(block, 0, block.size(),
                               [&] { return chunk_block_checksum({7}, 1, 2, block.data()) == good; });
}

/// The four bytes that bring a CRC-32C from `seed` to 0. A CRC is affine in its message: solve 32 equations.
std::uint32_t suffix_to_zero(std::uint32_t seed) {
  const auto crc = [&](std::uint32_t word) { return base::crc32c(seed, &word, sizeof word); };
  const std::uint32_t of_zeros = crc(0);
  std::array<std::pair<std::uint32_t, std::uint32_t>, 32> basis{};  // By leading bit: an effect, and the word for it.
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t word = 1u << bit;
    std::uint32_t effect = crc(word) ^ of_zeros;
    for (int lead = 31; lead >= 0; --lead) {
      if ((effect >> lead & 1) == 0) continue;
      if (basis[lead].first == 0) {
        basis[lead] = {effect, word};
        break;
      }
      effect ^= basis[lead].first;
      word ^= basis[lead].second;
    }
  }
  std::uint32_t rest = of_zeros, suffix = 0;
  for (int lead = 31; lead >= 0; --lead) {
    if ((rest >> lead & 1) == 0) continue;
    rest ^= basis[lead].first;
    suffix ^= basis[lead].second;
  }
  return suffix;
}

TEST(ChunkBlockChecksum, ABlockWhoseCrcIsZeroDoesNotLookUnwritten) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Bytes block = random_block(seed);
    Bytes placed(16);
    set_field(placed, 0, 8, seed);
    set_field(placed, 8, 4, 1);
    set_field(placed, 12, 4, 2);
    placed.insert(placed.end(), block.begin(), block.end() - 4);
    set_field(block, block_size - 4, 4, suffix_to_zero(base::crc32c(0, placed.data(), placed.size())));
    placed.insert(placed.end(), block.end() - 4, block.end());
    ASSERT_EQ(base::crc32c(0, placed.data(), placed.size()), 0u);
    EXPECT_EQ(chunk_block_checksum({seed}, 1, 2, block.data()), 1u);
  }
}

}  // namespace
}  // namespace parapet::layout

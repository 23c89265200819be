#include "layout/striping.h"

#include <gtest/gtest.h>

#include <map>

namespace parapet::layout {
namespace {

ShardHeader make_header(std::uint32_t k, std::uint32_t granule, std::uint32_t chunk, std::uint32_t unit,
                        std::uint64_t length) {
  ShardHeader header;
  header.k = k;
  header.m = 1;
  header.alpha = granule / block_size;
  header.granule_size = granule;
  header.chunk_size = chunk;
  header.unit_size = unit;
  header.file_length = length;
  header.code = "test";
  return header;
}

TEST(Striping, GivesAnEmptyFileHeadersOnly) {
  const Striping striping(make_header(4, 4096, 1 << 20, 65536, 0));
  EXPECT_EQ(striping.stripe_count(), 0u);
  EXPECT_EQ(striping.shard_size(), 4096u);
  EXPECT_EQ(striping.padded_length(), 0u);
}

TEST(Striping, MakesTheLastStripeAsSmallAsItCanBe) {
  const Striping one_byte(make_header(4, 4096, 1 << 20, 65536, 1));
  EXPECT_EQ(one_byte.stripe_count(), 1u);
  EXPECT_EQ(one_byte.chunk_size(0), 4096u);
  EXPECT_EQ(one_byte.shard_size(), 4096u + 4096 + 4096);

  const std::uint64_t stripe = 4 << 20;
  EXPECT_EQ(Striping(make_header(4, 4096, 1 << 20, 65536, stripe)).stripe_count(), 1u);
  const Striping more(make_header(4, 8192, 1 << 20, 65536, stripe + 4 * 8192 + 1));
  EXPECT_EQ(more.stripe_count(), 2u);
  EXPECT_EQ(more.chunk_size(0), 1u << 20);
  EXPECT_EQ(more.chunk_size(1), 16384u);
  EXPECT_EQ(more.chunk_offset(1), 4096u + (1 << 20) + 4096);
  EXPECT_EQ(more.area_offset(1), more.chunk_offset(1) + 16384);
  EXPECT_EQ(more.shard_size(), more.area_offset(1) + 4096);
  EXPECT_EQ(more.padded_length(), stripe + 4 * 16384);
}

TEST(Striping, SizesChecksumAreasInWholeBlocks) {
  EXPECT_EQ(checksum_area_size(4096), 4096u);
  EXPECT_EQ(checksum_area_size(1 << 20), 4096u);
  EXPECT_EQ(checksum_area_size(1023 * 4096), 4096u);
  EXPECT_EQ(checksum_area_size(1024 * 4096), 8192u);
}

TEST(Striping, GoesRoundTheChunksUnitByUnit) {
  const Striping striping(make_header(3, 4096, 1 << 20, 65536, 10 << 20));
  std::vector<FileRange> ranges;
  striping.append_file_ranges(1, 2, 65536, 65536, ranges);
  // Second row of the second stripe, third chunk.
  EXPECT_EQ(ranges, (std::vector<FileRange>{{(3 << 20) + 3 * 65536 + 2 * 65536, 2, 65536, 65536}}));
}

/// Every byte of the file lies in exactly one place, and in ascending order within a chunk.
void expect_bijection(const ShardHeader& header) {
  const Striping striping(header);
  std::map<std::uint64_t, std::uint64_t> covered;  // File offset to length.
  for (std::uint64_t stripe = 0; stripe < striping.stripe_count(); ++stripe) {
    for (unsigned chunk = 0; chunk < header.k; ++chunk) {
      std::vector<FileRange> ranges;
      // In pieces that do not fit the unit.
      for (std::size_t offset = 0; offset < striping.chunk_size(stripe); offset += 12288)
        striping.append_file_ranges(stripe, chunk, offset,
                                    std::min<std::size_t>(12288, striping.chunk_size(stripe) - offset), ranges);
      std::size_t end = 0;
      for (const FileRange& range : ranges) {
        EXPECT_GE(range.chunk_offset, end);
        end = range.chunk_offset + range.length;
        EXPECT_LE(end, striping.chunk_size(stripe));
        EXPECT_GT(range.length, 0u);
        EXPECT_TRUE(covered.emplace(range.file_offset, range.length).second);
      }
    }
  }
  std::uint64_t next = 0;
  for (const auto& [offset, length] : covered) {
    ASSERT_EQ(offset, next);
    next += length;
  }
  EXPECT_EQ(next, header.file_length);
}

TEST(Striping, PutsEveryByteInExactlyOnePlace) {
  for (const std::uint64_t length :
       {1ull, 4095ull, 4096ull, 4097ull, 65536ull, 65537ull, 300000ull, 786431ull, 786432ull, 786433ull, 3000000ull}) {
    expect_bijection(make_header(3, 4096, 262144, 65536, length));
    expect_bijection(make_header(3, 8192, 262144, 65536, length));
    expect_bijection(make_header(3, 4096, 28672, 8192, length));  // The unit does not divide the chunk.
    expect_bijection(make_header(1, 4096, 4096, 65536, length));  // The chunk is smaller than a unit.
    expect_bijection(make_header(7, 12288, 122880, 16384, length));
  }
}

}  // namespace
}  // namespace parapet::layout

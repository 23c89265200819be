// For tests of moves: a device with one chunk, for codes of several kinds.
#pragma once

#include "store/mover.h"

#include <gtest/gtest.h>

#include <ostream>

#include <algorithm>
#include <cctype>

#include "store/store_testing.h"

namespace parapet::store {

inline constexpr SegmentId segment{77};

struct Shape {
  const char* code;
  std::uint32_t chunk_size;
};

/// For the names of tests.
inline void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.code; }
/// Rows of one block, of contiguous sub-chunks, of packets; a row is at most a quarter of the chunk.
inline constexpr Shape shapes[] = {{"rs(4,2)", 64 << 10},
                                   {"xrs(4,2)", 64 << 10},
                                   {"cauchy_good(3,2,packetsize=512)", 64 << 10},
                                   {"clay(4,2)", 128 << 10}};

inline constexpr std::uint64_t log_size = 512 << 10;
inline constexpr std::uint64_t disk_size = 6 << 20;

class MoverTest : public ::testing::TestWithParam<Shape> {
 protected:
  static SegmentModel make_model(SegmentId id = segment) { return {id, GetParam().code, GetParam().chunk_size}; }
  /// The last parity chunk.
  static unsigned parity_of(const SegmentModel& model) { return model.code.n() - 1; }

  /// Writes committed updates of a few hundred bytes, all in the first row if within a block.
  static void write_deltas(TestDevice& device, SegmentModel& model, int count, base::Prng& prng,
                           std::uint32_t within = 4096) {
    Chunk& chunk = device.chunk_of(model);
    for (int i = 0; i < count; ++i) {
      const std::uint64_t chain = prng.below(model.code.k()), length = 1 + prng.below(700);
      const std::uint64_t offset = prng.below(within - length);
      ASSERT_TRUE(good(device.write(chunk, model.update(parity_of(model), chain, offset, length, prng))));
    }
  }
  /// Updates that touch every row.
  static void write_all_over(TestDevice& device, SegmentModel& model, base::Prng& prng) {
    Chunk& chunk = device.chunk_of(model);
    for (std::uint32_t at = 0; at < model.chunk_size; at += 16 << 10)
      ASSERT_TRUE(
          good(device.write(chunk, model.update(parity_of(model), at / 4096 % model.code.k(), at, 16 << 10, prng))));
  }
};

inline std::string name_of(const ::testing::TestParamInfo<Shape>& info) {
  std::string name = info.param.code;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
}

/// The tag's own checksums are those of what lies in the home.
inline void expect_home_checksums(const Chunk& chunk, const Bytes& content) {
  for (std::uint32_t block = 0; block < chunk.shape.block_count; ++block) {
    const std::uint8_t* const bytes = content.data() + std::size_t{block} * block_size;
    const bool zeros = std::all_of(bytes, bytes + block_size, [](auto byte) { return byte == 0; });
    if (zeros && chunk.tag.checksums[block] == layout::checksum_unwritten) continue;
    EXPECT_EQ(chunk.tag.checksums[block],
              layout::chunk_block_checksum(chunk.tag.segment, chunk.tag.chunk, block, bytes))
        << "block " << block;
  }
}

}  // namespace parapet::store

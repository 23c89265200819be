#include "layout/reserve_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "base/test_seeds.h"
#include "layout/format_testing.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint32_t chunk_size = 1 << 16;

/// Keeps the bytes of a delta until the program ends.
std::span<const std::uint8_t> kept(Bytes bytes) {
  static std::deque<Bytes> all;
  return all.emplace_back(std::move(bytes));
}

std::span<const std::uint8_t> numbered(std::size_t size, std::uint8_t first) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return kept(std::move(bytes));
}

void expect_same(const ReserveRecord& a, const ReserveRecord& b) {
  EXPECT_EQ(a.segment, b.segment);
  EXPECT_EQ(a.chunk, b.chunk);
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.from, b.from);
  EXPECT_EQ(a.last, b.last);
  ASSERT_EQ(a.deltas.size(), b.deltas.size());
  for (std::size_t i = 0; i < a.deltas.size(); ++i) {
    EXPECT_EQ(a.deltas[i].chain, b.deltas[i].chain);
    EXPECT_EQ(a.deltas[i].offset, b.deltas[i].offset);
    EXPECT_TRUE(std::ranges::equal(a.deltas[i].bytes, b.deltas[i].bytes)) << i;
  }
}

ReserveRecord valid_record() {
  return {.segment = {0x0102030405060708},
          .chunk = 4,
          .position = 0x12000,
          .from = {{1, 10}, {2, 20}, {0, 0}},
          .last = {{1, 11}, {3, 0}, {0, 0}},
          .deltas = {{0, 100, numbered(5, 1)}, {1, 0, numbered(7, 0x41)}, {0, chunk_size - 3, numbered(3, 0x81)}}};
}

Bytes encode(const ReserveRecord& record) {
  Bytes bytes(reserve_record_size(record), 0xee);
  encode_reserve_record(record, bytes);
  return bytes;
}

Result<ReserveRecord> decode_valid(std::span<const std::uint8_t> bytes) {
  return decode_reserve_record({0x0102030405060708}, 4, 0x12000, 3, chunk_size, bytes);
}

UpdateId random_id(base::Prng& random) { return {static_cast<std::uint32_t>(random()), random()}; }

ReserveRecord random_record(base::Prng& random) {
  ReserveRecord record;
  record.segment.value = random();
  record.chunk = static_cast<std::uint32_t>(random());
  record.position = static_cast<std::uint32_t>(block_size * random.below(1 << 19));
  for (std::size_t chains = 1 + random.below(20); record.last.size() < chains;) {
    const auto [from, last] = std::minmax({random_id(random), random_id(random)});
    record.from.push_back(from);
    record.last.push_back(last);
  }
  record.deltas.resize(random.below(30));
  for (ReservedDelta& delta : record.deltas) {
    delta.chain = static_cast<std::uint32_t>(random.below(record.last.size()));
    delta.offset = static_cast<std::uint32_t>(random.below(chunk_size));
    Bytes bytes(1 + random.below(std::min(chunk_size - delta.offset, 5000u)));
    random.fill(bytes.data(), bytes.size());
    delta.bytes = kept(std::move(bytes));
  }
  return record;
}

Result<ReserveRecord> decode_as(const ReserveRecord& r, std::span<const std::uint8_t> bytes) {
  return decode_reserve_record(r.segment, r.chunk, r.position, static_cast<std::uint32_t>(r.last.size()), chunk_size,
                               bytes);
}

TEST(ReserveRecord, RandomFieldsRoundTrip) {
  for (std::uint64_t seed = 0; seed < base::seed_count(300); ++seed) {
    base::Prng random(seed);
    const ReserveRecord written = random_record(random);
    SCOPED_TRACE(seed);
    const Bytes bytes = encode(written);
    const auto read = decode_as(written, bytes);
    ASSERT_TRUE(read) << read.error().message();
    expect_same(*read, written);
  }
}

TEST(ReserveRecord, SizesAreWholeBlocks) {
  ReserveRecord record{.segment = {1}, .chunk = 0, .position = 0, .from = {{}}, .last = {{}}, .deltas = {}};
  EXPECT_EQ(reserve_record_size(record), 4096u);
  record.deltas = {{0, 0, kept(Bytes(4096 - 64 - 24 - 16))}};
  EXPECT_EQ(reserve_record_size(record), 4096u);
  EXPECT_TRUE(decode_as(record, encode(record))) << "it fills its block";
  record.deltas[0].bytes = kept(Bytes(4096 - 64 - 24 - 16 + 1));
  EXPECT_EQ(reserve_record_size(record), 8192u);
}

// The offset table of docs/formats/device.md, byte by byte.
TEST(ReserveRecord, LiesAsDocumented) {
  const Bytes bytes = encode(valid_record());
  const auto u32 = [&](std::size_t offset) { return field(bytes, offset, 4); };
  const auto u64 = [&](std::size_t offset) { return field(bytes, offset, 8); };
  ASSERT_EQ(bytes.size(), 4096u);
  EXPECT_EQ(std::memcmp(bytes.data(), "PRSV", 4), 0);
  EXPECT_EQ(u32(4), base::crc32c(0, bytes.data() + 8, 4088));
  EXPECT_EQ(u64(8), 0x0102030405060708u);
  EXPECT_EQ(u32(16), 4u);
  EXPECT_EQ(u32(20), 0x12000u);
  EXPECT_EQ(u32(24), 3u);
  EXPECT_EQ(u32(28), 3u);
  EXPECT_EQ(u32(32), 4096u);
  for (std::size_t i = 36; i < 64; ++i) EXPECT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(u64(64), 10u);
  EXPECT_EQ(u64(72), 11u);
  EXPECT_EQ(u32(80), 1u);
  EXPECT_EQ(u32(84), 1u);
  EXPECT_EQ(u64(88), 20u);
  EXPECT_EQ(u64(96), 0u);
  EXPECT_EQ(u32(104), 2u);
  EXPECT_EQ(u32(108), 3u);
  EXPECT_EQ(u32(136), 0u);
  EXPECT_EQ(u32(140), 100u);
  EXPECT_EQ(u32(144), 5u);
  EXPECT_EQ(u32(148), 0u);
  EXPECT_EQ(u32(152), 1u);
  EXPECT_EQ(u32(172), chunk_size - 3);
  EXPECT_EQ(bytes[184], 1);
  EXPECT_EQ(bytes[189], 0x41);
  EXPECT_EQ(bytes[196], 0x81);
  for (std::size_t i = 199; i < 4096; ++i) ASSERT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(u32(4), 0xd97ca7bau);
}

TEST(ReserveRecord, RefusesEverySingleBitFlip) {
  Bytes bytes = encode(valid_record());
  expect_no_flipped_bit_passes(bytes, 0, bytes.size(), [&] { return decode_valid(bytes).has_value(); });
}

TEST(ReserveRecord, RefusesTruncatedRecords) {
  Bytes bytes = encode(valid_record());
  for (const std::size_t size : {0u, 1u, 4u, 8u, 63u, 64u, 65u, 4095u})
    EXPECT_EQ(decode_valid(std::span(bytes).first(size)).error().code, ErrorCode::corrupt) << size;
  bytes.resize(3 * 4096, 0xee);
  expect_same(decode_valid(bytes).value(), valid_record());  // What follows is another record.
}

TEST(ReserveRecord, AGoodRecordOfAnotherPlaceIsRefused) {
  const Bytes bytes = encode(valid_record());
  const SegmentId segment = valid_record().segment;
  EXPECT_TRUE(decode_reserve_record(segment, 4, 0x12000, 3, chunk_size, bytes));
  EXPECT_FALSE(decode_reserve_record({segment.value + 1}, 4, 0x12000, 3, chunk_size, bytes));
  EXPECT_FALSE(decode_reserve_record(segment, 5, 0x12000, 3, chunk_size, bytes));
  EXPECT_FALSE(decode_reserve_record(segment, 4, 0x13000, 3, chunk_size, bytes));
  EXPECT_FALSE(decode_reserve_record(segment, 4, 0x12000, 2, chunk_size, bytes));
  EXPECT_FALSE(decode_reserve_record(segment, 4, 0x12000, 3, chunk_size - 1, bytes)) << "a range leaves the chunk";
}

TEST(ReserveRecord, ChecksEveryBoundBehindAValidChecksum) {
  const FieldChange mistakes[] = {
      {"magic", 0, 1, 'p'},
      {"a delta fewer than are there", 28, 4, 2},
      {"a delta more than are there", 28, 4, 4},
      {"more deltas than fit", 28, 4, 4096},
      {"more deltas than fit", 28, 4, 0xffffffff},
      {"reserved in the head", 36, 4, 1},
      {"reserved in the head", 60, 4, 0x80000000},
      {"a chain that goes back, by ballot", 80, 4, 2},
      {"a chain that goes back, by counter", 64, 8, 12},
      {"chain", 136, 4, 3},
      {"chain", 136, 4, 0xffffffff},
      {"offset", 140, 4, chunk_size - 4},
      {"offset", 140, 4, chunk_size + 1},
      {"offset whose end overflows", 140, 4, 0xfffffffe},
      {"size beyond the chunk", 144, 4, chunk_size - 99},
      {"size beyond the record", 144, 4, 5000},
      {"size whose end overflows", 144, 4, 0xffffffff},
      {"reserved in a delta", 148, 4, 1},
      {"behind the last delta", 199, 1, 1},
      {"at the end", 4095, 1, 0x80},
  };
  for (const FieldChange& mistake : mistakes) {
    Bytes bytes = encode(valid_record());
    set_field(bytes, mistake.offset, mistake.size, mistake.value);
    set_crc(bytes, 4, 8, bytes.size());
    const auto record = decode_valid(bytes);
    ASSERT_FALSE(record) << mistake.what << " at " << mistake.offset << ": " << mistake.value;
    EXPECT_EQ(record.error().code, ErrorCode::corrupt);
  }
}

TEST(ReserveRecord, ChecksItsSizeBehindAValidChecksum) {
  for (const std::uint32_t size : {0u, 8u, 63u, 64u, 199u, 4095u, 4097u, 8191u, 8192u, 8193u, 0xffffffffu}) {
    Bytes bytes = encode(valid_record());
    bytes.resize(8192);
    set_field(bytes, 32, 4, size);
    set_crc(bytes, 4, 8, std::clamp<std::size_t>(size, 8, 8192));
    EXPECT_FALSE(decode_valid(bytes)) << size;
  }
}

TEST(ReserveRecordDeathTest, WhatReadingWouldRefuseIsNotWritten) {
  ReserveRecord record = valid_record();
  record.from[2] = {0, 1};
  EXPECT_DEATH(encode(record), "within_bounds");
  record = valid_record();
  record.position = 0xfffff000;
  EXPECT_DEATH(encode(record), "within_bounds") << "it would end beyond 4 GiB";
  record.position = 0x12040;
  EXPECT_DEATH(encode(record), "within_bounds");
  record = valid_record();
  record.from.pop_back();
  EXPECT_DEATH(encode(record), "within_bounds");
}

}  // namespace
}  // namespace parapet::layout

#include "layout/log_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/test_seeds.h"
#include "layout/format_testing.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

using Bytes = std::vector<std::uint8_t>;

LogIdentity identity() {
  LogIdentity identity;
  for (std::uint8_t i = 0; i < 16; ++i) identity.pool.bytes[i] = static_cast<std::uint8_t>(0xa0 + i);
  identity.ordinal = 3;
  return identity;
}

RecordHeader valid_header() {
  RecordHeader h;
  h.kind = RecordKind::delta;
  h.chain = 5;
  h.writer_ballot = 9;
  h.lsn = 0x0102030405060700;
  h.previous = 0x0102030405060640;
  h.flushed = 0x0102030405060000;
  h.segment.value = 0x1112131415161718;
  h.id = {9, 77};
  h.from = {8, 66};
  h.sent_to = {0, 5, 63};
  h.offset = 4000;
  h.length = 200;
  h.list_count = 3;
  h.payload_size = 200;
  return h;
}

std::size_t size_of(const RecordHeader& h) { return record_size(h.kind, h.list_count, h.payload_size); }

/// A sealed record; its list and payload are numbered bytes, and its padding is dirty before.
Bytes sealed(const RecordHeader& header) {
  Bytes record(size_of(header), 0xee);
  for (std::size_t i = 0; i < header.payload_size + record_list_size(header.kind, header.list_count); ++i)
    record[record_header_size + i] = static_cast<std::uint8_t>(i + 1);
  seal_record(identity(), header, record);
  return record;
}

bool intact(const Bytes& record) {
  const auto header = read_record_header(identity(), record);
  return header && record_body_intact(*header, record);
}

RecordHeader random_header(base::Prng& random) {
  RecordHeader h;
  h.kind = static_cast<RecordKind>(random.below(3));
  h.chain = static_cast<std::uint8_t>(random.below(holder_count_max));
  h.writer_ballot = static_cast<std::uint32_t>(random());
  h.lsn = random() / record_alignment * record_alignment;
  h.previous = random.below(h.lsn / record_alignment + 1) * record_alignment;
  h.flushed = random.below(h.lsn + 1);
  h.segment.value = random();
  h.id = {static_cast<std::uint32_t>(random()), random()};
  h.from = {static_cast<std::uint32_t>(random()), random()};
  h.sent_to = random_subset(random, holder_count_max);
  h.offset = static_cast<std::uint32_t>(random.below(chunk_size_max + 1));
  h.length = static_cast<std::uint32_t>(random.below(chunk_size_max - h.offset + 1));
  h.list_count = static_cast<std::uint32_t>(random.below(10));
  h.payload_size = static_cast<std::uint32_t>(random.below(10000));
  return h;
}

TEST(LogRecord, SizesAreAligned) {
  EXPECT_EQ(record_list_size(RecordKind::data, 0), 0u);
  EXPECT_EQ(record_list_size(RecordKind::data, 1), 8u);
  EXPECT_EQ(record_list_size(RecordKind::delta, 2), 8u);
  EXPECT_EQ(record_list_size(RecordKind::delta, 3), 16u);
  EXPECT_EQ(record_list_size(RecordKind::pages, 3), 48u);
  EXPECT_EQ(record_list_size(RecordKind::pages, 0xffffffff), 0xffffffffu * std::size_t{16});
  EXPECT_EQ(record_size(RecordKind::data, 0, 0), 128u);
  EXPECT_EQ(record_size(RecordKind::data, 1, 4096), 128u + 64 + 4096);
  EXPECT_EQ(record_size(RecordKind::delta, 1, 56), 192u);
  EXPECT_EQ(record_size(RecordKind::delta, 1, 57), 256u);
}

TEST(LogRecord, RandomFieldsRoundTrip) {
  for (std::uint64_t seed = 0; seed < base::seed_count(500); ++seed) {
    base::Prng random(seed);
    RecordHeader written = random_header(random);
    const Bytes record = sealed(written);
    const auto read = read_record_header(identity(), record);
    ASSERT_TRUE(read) << "seed " << seed;
    written.body_crc = read->body_crc;
    ASSERT_EQ(*read, written) << "seed " << seed;
    ASSERT_TRUE(record_body_intact(*read, record)) << "seed " << seed;
    const auto list = record_list(*read, record), payload = record_payload(*read, record);
    ASSERT_EQ(list.size(), record_list_size(read->kind, read->list_count));
    ASSERT_EQ(list.data(), record.data() + record_header_size);
    ASSERT_EQ(payload.data(), list.data() + list.size());
    ASSERT_EQ(payload.size(), read->payload_size);
    for (std::size_t i = 0; i < payload.size(); ++i)
      ASSERT_EQ(payload[i], static_cast<std::uint8_t>(list.size() + i + 1)) << "seed " << seed;
  }
}

// The offset table of docs/formats/device.md, byte by byte.
TEST(LogRecord, LiesAsDocumented) {
  const Bytes record = sealed(valid_header());
  const auto u32 = [&](std::size_t offset) { return field(record, offset, 4); };
  const auto u64 = [&](std::size_t offset) { return field(record, offset, 8); };
  ASSERT_EQ(record.size(), 384u);
  EXPECT_EQ(std::memcmp(record.data(), "PLOG", 4), 0);
  EXPECT_EQ(u64(8), 0x0102030405060700u);
  EXPECT_EQ(u64(16), 0x0102030405060640u);
  EXPECT_EQ(u64(24), 0x0102030405060000u);
  EXPECT_EQ(u64(32), 0x1112131415161718u);
  EXPECT_EQ(u64(40), 0x8000000000000021u);
  EXPECT_EQ(u64(48), 77u);
  EXPECT_EQ(u64(56), 66u);
  EXPECT_EQ(u32(64), 9u);
  EXPECT_EQ(u32(68), 8u);
  EXPECT_EQ(u32(72), 9u);
  EXPECT_EQ(u32(76), 4000u);
  EXPECT_EQ(u32(80), 200u);
  EXPECT_EQ(u32(84), 3u);
  EXPECT_EQ(u32(88), 200u);
  EXPECT_EQ(u32(92), base::crc32c(0, record.data() + 128, 216));
  EXPECT_EQ(record[96], 1);
  EXPECT_EQ(record[97], 5);
  for (std::size_t i = 98; i < 128; ++i) EXPECT_EQ(record[i], 0) << i;
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(record[128 + i], i + 1);
  EXPECT_EQ(u32(140), 0u) << "the list is padded";
  EXPECT_EQ(record[144], 17);
  EXPECT_EQ(record[343], 216);
  for (std::size_t i = 344; i < 384; ++i) EXPECT_EQ(record[i], 0) << i;

  Bytes covered(20);
  for (std::uint8_t i = 0; i < 16; ++i) covered[i] = static_cast<std::uint8_t>(0xa0 + i);
  covered[16] = 3;
  covered.insert(covered.end(), record.begin() + 8, record.begin() + 128);
  EXPECT_EQ(u32(4), base::crc32c(0, covered.data(), covered.size()));
  EXPECT_EQ(u32(4), 0x339fca30u);
  EXPECT_EQ(u32(92), 0x2eba4f20u);
}

TEST(LogRecord, KindsHaveTheirNumbers) {
  EXPECT_EQ(static_cast<int>(RecordKind::data), 0);
  EXPECT_EQ(static_cast<int>(RecordKind::delta), 1);
  EXPECT_EQ(static_cast<int>(RecordKind::pages), 2);
}

TEST(LogRecord, RefusesEverySingleBitFlip) {
  for (const RecordKind kind : {RecordKind::data, RecordKind::delta, RecordKind::pages}) {
    RecordHeader header = valid_header();
    header.kind = kind;
    Bytes record = sealed(header);
    expect_no_flipped_bit_passes(record, 0, record.size(), [&] { return intact(record); });
  }
}

TEST(LogRecord, RefusesTruncatedRecords) {
  const Bytes record = sealed(valid_header());
  const RecordHeader header = read_record_header(identity(), record).value();
  for (std::size_t size = 0; size < record.size(); ++size) {
    const Bytes part(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(read_record_header(identity(), part).has_value(), size >= record_header_size) << size;
    EXPECT_FALSE(record_body_intact(header, part)) << size;
  }
  Bytes longer = record;
  longer.resize(record.size() + 100, 0xee);
  EXPECT_TRUE(intact(longer)) << "what follows is another record's";
}

TEST(LogRecord, AGoodRecordOfAnotherLogIsRefused) {
  const Bytes record = sealed(valid_header());
  EXPECT_TRUE(read_record_header(identity(), record));
  LogIdentity other = identity();
  other.ordinal = 4;
  EXPECT_FALSE(read_record_header(other, record)) << "another device";
  for (std::size_t i = 0; i < other.pool.bytes.size(); ++i) {
    other = identity();
    other.pool.bytes[i] ^= 1;
    EXPECT_FALSE(read_record_header(other, record)) << "another pool";
  }
}

/// A valid record with a changed field of the header; the checksum is right.
Bytes changed(const FieldChange& change) {
  Bytes record = sealed(valid_header());
  set_field(record, change.offset, change.size, change.value);
  const LogIdentity log = identity();
  std::uint32_t crc = base::crc32c(0, log.pool.bytes.data(), log.pool.bytes.size());
  crc = base::crc32c(crc, &log.ordinal, sizeof log.ordinal);
  set_field(record, 4, 4, base::crc32c(crc, record.data() + 8, 120));
  return record;
}

TEST(LogRecord, ChecksEveryBoundBehindAValidChecksum) {
  const FieldChange mistakes[] = {
      {"magic", 0, 1, 'p'},
      {"position where no record begins", 8, 8, 0x0102030405060720},
      {"predecessor where no record begins", 16, 8, 0x0102030405060620},
      {"predecessor behind the record", 16, 8, 0x0102030405060740},
      {"durable beyond the record", 24, 8, 0x0102030405060701},
      {"offset", 76, 4, chunk_size_max + 1},
      {"offset", 76, 4, 0xffffffff},
      {"range beyond the largest chunk", 76, 4, chunk_size_max - 199},
      {"length", 80, 4, chunk_size_max - 3999},
      {"length whose end overflows", 80, 4, 0xffffffff},
      {"list", 84, 4, record_list_count_max + 1},
      {"list", 84, 4, 0xffffffff},
      {"payload", 88, 4, record_payload_size_max + 1},
      {"payload", 88, 4, 0xffffffff},
      {"kind", 96, 1, 3},
      {"kind", 96, 1, 255},
      {"chain", 97, 1, holder_count_max},
      {"chain", 97, 1, 255},
      {"reserved", 98, 1, 1},
      {"reserved", 127, 1, 0x80},
  };
  for (const FieldChange& mistake : mistakes)
    EXPECT_FALSE(read_record_header(identity(), changed(mistake)))
        << mistake.what << " at " << mistake.offset << ": " << mistake.value;
}

TEST(LogRecord, AcceptsWhatIsJustWithinTheBounds) {
  const FieldChange changes[] = {
      {"the first record names itself", 16, 8, 0x0102030405060700},
      {"all durable up to the record", 24, 8, 0x0102030405060700},
      {"sent to all", 40, 8, ~std::uint64_t{0}},
      {"range up to the end of the largest chunk", 76, 4, chunk_size_max - 200},
      {"length up to the end of the largest chunk", 80, 4, chunk_size_max - 4000},
      {"nothing", 80, 4, 0},
      {"list", 84, 4, record_list_count_max},
      {"payload", 88, 4, record_payload_size_max},
      {"chain", 97, 1, holder_count_max - 1},
  };
  for (const FieldChange& change : changes) EXPECT_TRUE(read_record_header(identity(), changed(change))) << change.what;
}

TEST(LogRecord, PaddingMustBeZeroThoughNoChecksumCoversIt) {
  Bytes record = sealed(valid_header());
  record.back() = 1;
  EXPECT_FALSE(intact(record));
  record = sealed(valid_header());
  set_field(record, 140, 4, 1);  // Behind the three checksums.
  const std::uint32_t body_crc = base::crc32c(0, record.data() + 128, 216);
  RecordHeader header = read_record_header(identity(), record).value();
  header.body_crc = body_crc;
  EXPECT_FALSE(record_body_intact(header, record));
}

TEST(LogRecordDeathTest, WhatReadingWouldRefuseIsNotWritten) {
  RecordHeader header = valid_header();
  header.payload_size = record_payload_size_max + 1;
  EXPECT_DEATH(seal_record(identity(), header, {}), "within_bounds");
  header = valid_header();
  header.chain = holder_count_max;
  EXPECT_DEATH(sealed(header), "within_bounds");
  header = valid_header();
  header.flushed = header.lsn + 1;
  EXPECT_DEATH(sealed(header), "within_bounds");
  header = valid_header();
  header.sent_to.insert(64);
  EXPECT_DEATH(sealed(header), "within_bounds");
}

}  // namespace
}  // namespace parapet::layout

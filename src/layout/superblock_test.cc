#include "layout/superblock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/test_seeds.h"
#include "layout/chunk_slot.h"
#include "layout/format_testing.h"
#include "layout/log_record.h"
#include "layout/shard_header.h"

namespace parapet::layout {
namespace {

using Area = std::vector<std::uint8_t>;

DeviceId device_id(unsigned number) {
  DeviceId id;
  id.bytes.fill(static_cast<std::uint8_t>(0x10 + number));
  return id;
}

Superblock valid_superblock() {
  Superblock s;
  s.sequence = 0x0102030405060708;
  for (std::uint8_t i = 0; i < 16; ++i) s.pool.bytes[i] = static_cast<std::uint8_t>(0xa0 + i);
  s.ordinal = 2;
  s.devices = {device_id(0), device_id(1), device_id(2), device_id(3), device_id(4)};
  s.geometry = {.device_size = 17 * unit_size + 100 * unit_size + 8192,
                .log_offset = 16384,
                .log_size = 1 << 20,
                .table_offset = 16384 + (1 << 20),
                .table_page_count = 11,
                .space_offset = 17 * unit_size,
                .unit_count = 100};
  s.ballot = 9;
  s.configuration = {{8, 3}, {0, 2, 4}};
  s.log_head = 5 << 20;
  s.log_flushed = (5 << 20) + 0x4440;
  s.log_ballot = 7;
  s.scheme = 3;
  s.chunk_size = 1 << 20;
  s.code = "rs(3,2)";
  return s;
}

Superblock random_superblock(base::Prng& random) {
  Superblock s;
  s.sequence = random();
  random.fill(s.pool.bytes.data(), s.pool.bytes.size());
  s.devices.resize(1 + random.below(device_count_max));
  for (DeviceId& id : s.devices) random.fill(id.bytes.data(), id.bytes.size());
  const auto count = static_cast<unsigned>(s.devices.size());
  s.ordinal = static_cast<std::uint32_t>(random.below(count));
  s.chunk_size = static_cast<std::uint32_t>(block_size * (1 + random.below(chunk_size_max / block_size)));
  const std::uint64_t log_size = block_size * (1 + random.below(1 << 20));
  s.geometry =
      plan_geometry((std::uint64_t{8} << 30) + random.below(std::uint64_t{1} << 40), log_size, s.chunk_size).value();
  s.ballot = static_cast<std::uint32_t>(random());
  s.configuration.version = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
  s.configuration.in = random_subset(random, count);
  s.log_head = record_alignment * random.below(std::uint64_t{1} << 40);
  s.log_flushed = s.log_head + random.below(log_size + 1);
  s.log_ballot = static_cast<std::uint32_t>(random());
  s.scheme = static_cast<std::uint8_t>(random.below(4));
  s.code = random_text(random, 1 + random.below(code_text_size_max));
  return s;
}

ErrorCode decode_error(std::span<const std::uint8_t> bytes) {
  const auto superblock = decode_superblock(bytes);
  EXPECT_FALSE(superblock.has_value());
  return superblock ? ErrorCode::interrupted : superblock.error().code;
}

SuperblockBytes changed(std::initializer_list<FieldChange> changes) {
  SuperblockBytes bytes = encode_superblock(valid_superblock());
  for (const FieldChange& change : changes) set_field(bytes, change.offset, change.size, change.value);
  set_crc(bytes, 4092, 0, 4092);
  return bytes;
}

TEST(Superblock, RandomFieldsRoundTrip) {
  for (std::uint64_t seed = 0; seed < base::seed_count(300); ++seed) {
    base::Prng random(seed);
    const Superblock written = random_superblock(random);
    const auto read = decode_superblock(encode_superblock(written));
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message();
    ASSERT_EQ(*read, written) << "seed " << seed;
  }
}

// The offset table of docs/formats/device.md, byte by byte.
TEST(Superblock, LiesAsDocumented) {
  const SuperblockBytes bytes = encode_superblock(valid_superblock());
  const auto u32 = [&](std::size_t offset) { return field(bytes, offset, 4); };
  const auto u64 = [&](std::size_t offset) { return field(bytes, offset, 8); };
  EXPECT_EQ(std::memcmp(bytes.data(), "PARADEVC", 8), 0);
  EXPECT_EQ(u32(8), 1u);
  EXPECT_EQ(u32(12), 2u);
  EXPECT_EQ(u64(16), 0x0102030405060708u);
  EXPECT_EQ(bytes[24], 0xa0);
  EXPECT_EQ(bytes[39], 0xaf);
  EXPECT_EQ(u32(40), 5u);
  EXPECT_EQ(u32(44), 9u);
  EXPECT_EQ(u64(48), 7675904u);
  EXPECT_EQ(u64(56), 16384u);
  EXPECT_EQ(u64(64), 1048576u);
  EXPECT_EQ(u64(72), 1064960u);
  EXPECT_EQ(u64(80), 1114112u);
  EXPECT_EQ(u32(88), 11u);
  EXPECT_EQ(u32(92), 100u);
  EXPECT_EQ(u32(96), 8u);
  EXPECT_EQ(u32(100), 3u);
  EXPECT_EQ(u64(104), 0b10101u);
  EXPECT_EQ(u64(112), 0u);
  EXPECT_EQ(u64(120), 5242880u);
  EXPECT_EQ(u64(128), 5260352u);
  EXPECT_EQ(u32(136), 1048576u);
  EXPECT_EQ(u32(140), 3u);
  EXPECT_EQ(std::memcmp(bytes.data() + 144, "rs(3,2)\0", 8), 0);
  for (unsigned i = 0; i < 5; ++i) EXPECT_EQ(field(bytes, 272 + 16 * i + 15, 1), 0x10u + i);
  EXPECT_EQ(u32(2320), 7u);
  for (std::size_t i = 272 + 5 * 16; i < 2320; ++i) ASSERT_EQ(bytes[i], 0) << i;
  for (std::size_t i = 2324; i < 4092; ++i) ASSERT_EQ(bytes[i], 0) << i;
  EXPECT_EQ(u32(4092), base::crc32c(0, bytes.data(), 4092));
  EXPECT_EQ(u32(4092), 0xce3b9f02u);
}

TEST(Superblock, RefusesEverySingleBitFlip) {
  SuperblockBytes bytes = encode_superblock(valid_superblock());
  expect_no_flipped_bit_passes(bytes, 0, bytes.size(), [&] { return decode_superblock(bytes).has_value(); });
}

TEST(Superblock, RefusesShortInput) {
  const SuperblockBytes bytes = encode_superblock(valid_superblock());
  for (const std::size_t size : {0u, 1u, 8u, 4095u})
    EXPECT_EQ(decode_error(std::span(bytes).first(size)), ErrorCode::not_found) << size;
}

TEST(Superblock, TellsStrangersAndOtherVersionsFromDamage) {
  SuperblockBytes bytes = encode_superblock(valid_superblock());
  bytes[7] = 'X';
  EXPECT_EQ(decode_error(bytes), ErrorCode::not_found);
  bytes = encode_superblock(valid_superblock());
  bytes[8] = 2;
  EXPECT_EQ(decode_error(bytes), ErrorCode::corrupt);
  set_crc(bytes, 4092, 0, 4092);
  EXPECT_EQ(decode_error(bytes), ErrorCode::unsupported);
}

TEST(Superblock, ChecksEveryBoundBehindAValidChecksum) {
  constexpr std::uint64_t last_unit = ~std::uint64_t{0} - unit_size + 1;
  const FieldChange mistakes[] = {
      {"ordinal", 12, 4, 5},
      {"ordinal", 12, 4, 0xffffffff},
      {"no devices", 40, 4, 0},
      {"a device fewer than its ordinal", 40, 4, 2},
      {"a device fewer than are listed", 40, 4, 4},
      {"devices beyond the list", 40, 4, device_count_max + 1},
      {"devices far beyond the list", 40, 4, 0xffffffff},
      {"device size of no whole block", 48, 8, 7675904 + 1},
      {"device smaller than its space", 48, 8, 7675904 - 3 * 4096},
      {"device too large", 48, 8, device_size_max + 4096},
      {"device much too large", 48, 8, ~std::uint64_t{4095}},
      {"log elsewhere", 56, 8, 16384 + 4096},
      {"no log", 64, 8, 0},
      {"log of no whole block", 64, 8, (1 << 20) + 512},
      {"log larger than the device", 64, 8, 7675904 + 4096},
      {"log so large that sums overflow", 64, 8, ~std::uint64_t{4095}},
      {"table elsewhere", 72, 8, 1064960 + 4096},
      {"space of no whole unit", 80, 8, 17 * unit_size + 4096},
      {"space over the table", 80, 8, 16 * unit_size},
      {"space beyond the device", 80, 8, 18 * unit_size},
      {"space so far that its end overflows", 80, 8, last_unit},
      {"space whose end is 0", 80, 8, std::uint64_t{0} - 100 * unit_size},
      {"no table", 88, 4, 0},
      {"table over the space", 88, 4, 13},
      {"table far over the space", 88, 4, 0xffffffff},
      {"no units", 92, 4, 0},
      {"a unit too many", 92, 4, 101},
      {"units too many", 92, 4, 0xffffffff},
      {"a device in that is not there", 104, 8, 0b100000},
      {"a device in that is far from there", 112, 8, std::uint64_t{1} << 63},
      {"log head where no record begins", 120, 8, (5 << 20) + 32},
      {"log head beyond what is flushed", 120, 8, 6 << 20},
      {"more flushed than the log holds", 128, 8, (6 << 20) + 1},
      {"no chunk", 136, 4, 0},
      {"chunk of no whole block", 136, 4, 4096 + 512},
      {"chunk too large", 136, 4, chunk_size_max + 4096},
      {"scheme", 140, 4, 4},
      {"scheme that is one when cut to a byte", 140, 4, 0x103},
      {"no code", 144, 1, 0},
      {"code with a blank", 145, 1, ' '},
      {"code with a control character", 145, 1, '\n'},
      {"code with a byte above ASCII", 145, 1, 0x80},
      {"code goes on behind its end", 144 + 100, 1, 'a'},
      {"a device behind the last", 272 + 5 * 16, 1, 1},
      {"reserved", 2324, 1, 1},
      {"reserved", 4091, 1, 0x80},
  };
  for (const FieldChange& mistake : mistakes)
    EXPECT_EQ(decode_error(changed({mistake})), ErrorCode::corrupt)
        << mistake.what << " at " << mistake.offset << ": " << mistake.value;
}

// Mistakes that one changed field cannot make, since another rule catches that.
TEST(Superblock, ChecksBoundsAlsoWhereFieldsAgree) {
  const auto refuses = [](std::initializer_list<FieldChange> changes) {
    return decode_error(changed(changes)) == ErrorCode::corrupt;
  };
  EXPECT_TRUE(refuses({{"log elsewhere", 56, 8, 16384 + 4096}, {"table behind it", 72, 8, 1064960 + 4096}}));
  EXPECT_TRUE(refuses({{"log over the superblocks", 56, 8, 4096}, {"table behind it", 72, 8, 1064960 - 12288}}));
  EXPECT_TRUE(refuses({{"no log", 64, 8, 0}, {"table behind it", 72, 8, 16384}, {"flushed", 128, 8, 5 << 20}}));
  EXPECT_TRUE(refuses({{"log of no whole block", 64, 8, (1 << 20) + 64}, {"table behind it", 72, 8, 1064960 + 64}}));
  EXPECT_TRUE(refuses({{"log so large", 64, 8, ~std::uint64_t{4095}}, {"that sums overflow", 72, 8, 12288}}));
  EXPECT_TRUE(refuses({{"no code", 144, 8, 0}}));
}

TEST(Superblock, AcceptsWhatIsJustWithinTheBounds) {
  const FieldChange changes[] = {
      {"ordinal", 12, 4, 4},
      {"sequence", 16, 8, ~std::uint64_t{0}},
      {"ballot", 44, 4, 0xffffffff},
      {"device of the largest size", 48, 8, device_size_max},
      {"device that ends with its space", 48, 8, 117 * unit_size},
      {"fewer units than would fit", 92, 4, 1},
      {"table up to the space", 88, 4, 12},
      {"all devices in", 104, 8, 0b11111},
      {"none in", 104, 8, 0},
      {"log head within a block", 120, 8, (5 << 20) + 64},
      {"log empty", 128, 8, 5 << 20},
      {"log full", 128, 8, 6 << 20},
      {"log ballot", 2320, 4, 0xffffffff},
      {"chunk", 136, 4, chunk_size_max},
      {"chunk", 136, 4, 4096},
      {"scheme", 140, 4, 0},
  };
  for (const FieldChange& change : changes) {
    const auto superblock = decode_superblock(changed({change}));
    EXPECT_TRUE(superblock) << change.what << ": " << superblock.error().message();
  }
}

TEST(Superblock, HoldsAsManyDevicesAndAsLongACodeAsDocumented) {
  Superblock s = valid_superblock();
  s.devices.assign(device_count_max, device_id(1));
  s.ordinal = device_count_max - 1;
  s.configuration.in = DeviceSet::range(0, device_count_max);
  s.code = std::string(code_text_size_max, 'x');
  const auto read = decode_superblock(encode_superblock(s));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, s);
}

// --- copies ---------------------------------------------------------------------------------------------------------

void put_superblock(Area& area, const Superblock& superblock) {
  for (const std::uint64_t offset : superblock_offsets(superblock.sequence))
    std::ranges::copy(encode_superblock(superblock), area.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// An area in which superblock `sequence` follows the one before it.
Area area_at(std::uint64_t sequence) {
  Area area(superblock_area_size);
  Superblock s = valid_superblock();
  for (s.sequence = sequence - 1; s.sequence <= sequence; ++s.sequence) put_superblock(area, s);
  return area;
}

TEST(NewestSuperblock, AnySubsetOfTheCopiesMayBeDamaged) {
  for (const std::uint64_t sequence : {6u, 7u}) {
    const auto newer = superblock_offsets(sequence), older = superblock_offsets(sequence - 1);
    for (unsigned damaged = 0; damaged < 16; ++damaged) {
      Area area = area_at(sequence);
      for (std::size_t copy = 0; copy < 4; ++copy)
        if ((damaged >> copy & 1) != 0) area[copy * superblock_size + 1000 + copy] ^= 0x10;
      const auto good = [&](std::uint64_t offset) { return (damaged >> offset / superblock_size & 1) == 0; };
      const auto found = newest_superblock(area);
      if (good(newer[0]) || good(newer[1]))
        EXPECT_EQ(found.value().sequence, sequence) << damaged;
      else if (good(older[0]) || good(older[1]))
        EXPECT_EQ(found.value().sequence, sequence - 1) << damaged;
      else
        EXPECT_EQ(found.error().code, ErrorCode::corrupt);
    }
  }
}

TEST(NewestSuperblock, SaysWhyThereIsNone) {
  Area area(superblock_area_size);
  EXPECT_EQ(newest_superblock(area).error().code, ErrorCode::not_found);
  std::ranges::copy(encode_superblock(valid_superblock()), area.begin() + 3 * superblock_size);
  area[3 * superblock_size + 100] ^= 1;
  EXPECT_EQ(newest_superblock(area).error().code, ErrorCode::corrupt) << "there was one";
}

TEST(NewestSuperblock, ACopyOfAnotherVersionMayBeTheNewest) {
  for (std::size_t copy = 0; copy < superblock_copy_count; ++copy) {
    Area area = area_at(8);
    const auto other = std::span(area).subspan(copy * superblock_size, superblock_size);
    set_field(other, 8, 4, 2);
    set_crc(other, 4092, 0, 4092);
    EXPECT_EQ(newest_superblock(area).error().code, ErrorCode::unsupported) << copy;
  }
}

TEST(SuperblockOffsets, AlternateBetweenTwoPairs) {
  EXPECT_EQ(superblock_offsets(0), (std::array<std::uint64_t, 2>{0, 4096}));
  EXPECT_EQ(superblock_offsets(1), (std::array<std::uint64_t, 2>{8192, 12288}));
  EXPECT_EQ(superblock_offsets(2), superblock_offsets(0));
  EXPECT_EQ(superblock_offsets(~std::uint64_t{0}), superblock_offsets(1));
}

// --- geometry -------------------------------------------------------------------------------------------------------

/// The least number of units that a home with its tag takes.
std::uint64_t home_unit_count(std::uint32_t chunk_size) { return chunk_size / unit_size + 1; }

void expect_divides_well(const DeviceGeometry& g, std::uint64_t device_size, std::uint64_t log_size,
                         std::uint32_t chunk_size) {
  EXPECT_LE(g.device_size, device_size);
  EXPECT_GT(g.device_size + block_size, device_size);
  EXPECT_EQ(g.log_size, log_size);
  EXPECT_GE(std::uint64_t{g.table_page_count} * slots_per_page, g.unit_count / home_unit_count(chunk_size));
  const std::uint64_t space_end = g.space_offset + std::uint64_t{g.unit_count} * unit_size;
  EXPECT_LE(space_end, g.device_size);
  EXPECT_GT(space_end + unit_size, g.device_size) << "no unit is wasted";
  EXPECT_GE(g.unit_count, 3 * home_unit_count(chunk_size));
  Superblock s = valid_superblock();
  s.geometry = g;
  s.log_head = s.log_flushed = 0;
  EXPECT_TRUE(decode_superblock(encode_superblock(s))) << "it keeps the rules of a superblock";
}

TEST(PlanGeometry, DividesWithinTheDevice) {
  for (std::uint64_t seed = 0; seed < base::seed_count(2000); ++seed) {
    base::Prng random(seed);
    const std::uint64_t device_size = random.below(std::uint64_t{1} << (20 + random.below(29)));
    const std::uint64_t log_size = block_size * (1 + random.below(device_size / block_size + 1));
    const auto chunk_size = static_cast<std::uint32_t>(block_size * (1 + random.below(std::uint64_t{1} << 10)));
    const auto g = plan_geometry(device_size, log_size, chunk_size);
    SCOPED_TRACE("seed " + std::to_string(seed));
    if (g)
      expect_divides_well(*g, device_size, log_size, chunk_size);
    else
      EXPECT_EQ(g.error().code, ErrorCode::invalid_argument);
  }
}

TEST(PlanGeometry, TakesTheSmallestAndTheLargestDevices) {
  // The superblocks, a log block and two table pages fill half a unit; three chunks and units follow.
  const std::uint64_t least = unit_size + 3 * (4096 + unit_size);
  EXPECT_EQ(plan_geometry(least - 1, 4096, 4096).error().code, ErrorCode::invalid_argument);
  const auto small = plan_geometry(least, 4096, 4096);
  ASSERT_TRUE(small);
  expect_divides_well(*small, least, 4096, 4096);
  for (const std::uint32_t chunk_size : {4096u, 1u << 20, chunk_size_max}) {
    const auto large = plan_geometry(device_size_max, 1 << 30, chunk_size);
    ASSERT_TRUE(large);
    expect_divides_well(*large, device_size_max, 1 << 30, chunk_size);
  }
}

TEST(PlanGeometry, RefusesWhatDoesNotFit) {
  const std::uint64_t whole = ~std::uint64_t{4095};
  EXPECT_FALSE(plan_geometry(0, 4096, 4096));
  EXPECT_FALSE(plan_geometry(1 << 30, 1 << 30, 1 << 20)) << "the log takes all";
  EXPECT_FALSE(plan_geometry(1 << 30, 1 << 20, chunk_size_max)) << "no three chunks";
  EXPECT_FALSE(plan_geometry(device_size_max + 1, 1 << 20, 1 << 20)) << "more units than can be counted";
  EXPECT_FALSE(plan_geometry(1 << 30, whole, 1 << 20)) << "a log whose end overflows";
  EXPECT_FALSE(plan_geometry(whole, whole, 1 << 20));
}

}  // namespace
}  // namespace parapet::layout

#include "layout/chunk_slot.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/test_seeds.h"
#include "layout/format_testing.h"
#include "layout/shard_header.h"
#include "layout/superblock.h"

namespace parapet::layout {
namespace {

using Slots = std::vector<ChunkSlot>;
constexpr std::uint32_t page_index = 7;
constexpr std::size_t slot_size = 256;

ChunkSlot valid_slot() {
  ChunkSlot s;
  s.state = SlotState::live;
  s.segment.value = 0x0102030405060708;
  s.chunk = 4;
  s.chunk_size = 1 << 20;
  s.code = "rs(3,2)";
  s.devices = {11, 3, 127, 0, 64};
  s.home = {.first_unit = 1000, .unit_count = 18};
  s.reserve = {{2000, 1}, {3000, 5}};
  s.members = {{9, 2}, {0, 1, 4}};
  s.missed = {2, 3};
  return s;
}

Slots slots_with(const ChunkSlot& slot, std::size_t index) {
  Slots slots(slots_per_page);
  slots[index] = slot;
  return slots;
}

TablePage encode(std::uint32_t index, const Slots& slots) {
  return encode_table_page(index, std::span<const ChunkSlot, slots_per_page>(slots));
}

ChunkSlot random_slot(base::Prng& random) {
  ChunkSlot s;
  s.state = static_cast<SlotState>(random.below(4));
  if (s.state == SlotState::free) return s;
  s.segment.value = random();
  const auto n = static_cast<unsigned>(1 + random.below(holder_count_max));
  for (unsigned device = 0; s.devices.size() < n; ++device)
    if (device_count_max - device <= n - s.devices.size() || random.below(2) == 0)
      s.devices.push_back(static_cast<std::uint8_t>(device));
  std::ranges::shuffle(s.devices, random);
  s.chunk = static_cast<std::uint32_t>(random.below(n));
  s.chunk_size = static_cast<std::uint32_t>(block_size * (1 + random.below(chunk_size_max / block_size)));
  s.code = random_text(random, 1 + random.below(slot_code_text_size_max));
  s.home.unit_count = static_cast<std::uint32_t>(s.chunk_size / unit_size + 1 + random.below(100));
  s.home.first_unit = static_cast<std::uint32_t>(random.below(0xffffffffu - s.home.unit_count + 1));
  s.reserve.resize(random.below(reserve_extent_count_max + 1));
  for (Extent& extent : s.reserve) {
    extent.first_unit = static_cast<std::uint32_t>(random.below(0xffffffffu));
    extent.unit_count = static_cast<std::uint32_t>(1 + random.below(0xffffffffu - extent.first_unit));
  }
  s.members.version = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random())};
  s.members.holders = random_subset(random, n);
  s.missed = random_subset(random, n);
  return s;
}

TEST(TablePage, RandomSlotsRoundTrip) {
  for (std::uint64_t seed = 0; seed < base::seed_count(200); ++seed) {
    base::Prng random(seed);
    Slots written(slots_per_page);
    for (ChunkSlot& slot : written) slot = random_slot(random);
    const auto index = static_cast<std::uint32_t>(random());
    const auto read = decode_table_page(index, encode(index, written));
    ASSERT_TRUE(read) << "seed " << seed << ": " << read.error().message();
    ASSERT_EQ(*read, written) << "seed " << seed;
  }
}

// The offset table of docs/formats/device.md, byte by byte.
TEST(TablePage, LiesAsDocumented) {
  const TablePage page = encode(page_index, slots_with(valid_slot(), 2));
  const auto slot = std::span(page).subspan(2 * slot_size, slot_size);
  const auto u32 = [&](std::size_t offset) { return field(slot, offset, 4); };
  const auto u64 = [&](std::size_t offset) { return field(slot, offset, 8); };
  EXPECT_EQ(u64(0), 0x0102030405060708u);
  EXPECT_EQ(u64(8), 0b10011u);
  EXPECT_EQ(u64(16), 0b01100u);
  EXPECT_EQ(u32(24), 9u);
  EXPECT_EQ(u32(28), 2u);
  EXPECT_EQ(u32(32), 1048576u);
  EXPECT_EQ(slot[36], 2);
  EXPECT_EQ(slot[37], 4);
  EXPECT_EQ(slot[38], 5);
  EXPECT_EQ(slot[39], 2);
  EXPECT_EQ(u32(40), 1000u);
  EXPECT_EQ(u32(44), 18u);
  EXPECT_EQ(u32(48), 2000u);
  EXPECT_EQ(u32(52), 1u);
  EXPECT_EQ(u32(56), 3000u);
  EXPECT_EQ(u32(60), 5u);
  for (std::size_t i = 64; i < 80; ++i) EXPECT_EQ(slot[i], 0) << i;
  EXPECT_EQ(std::memcmp(slot.data() + 80, "rs(3,2)\0", 8), 0);
  EXPECT_EQ(field(slot, 168, 5), 0x40007f030bu);
  for (std::size_t i = 173; i < slot_size; ++i) EXPECT_EQ(slot[i], 0) << i;

  for (std::size_t i = 0; i < 2 * slot_size; ++i) ASSERT_EQ(page[i], 0) << i;
  for (std::size_t i = 3 * slot_size; i < 4080; ++i) ASSERT_EQ(page[i], 0) << i;
  EXPECT_EQ(std::memcmp(page.data() + 4080, "PTBL", 4), 0);
  EXPECT_EQ(field(page, 4084, 4), page_index);
  EXPECT_EQ(field(page, 4088, 4), 0u);
  EXPECT_EQ(field(page, 4092, 4), base::crc32c(0, page.data(), 4092));
  EXPECT_EQ(field(page, 4092, 4), 0x43f82cc5u);
}

TEST(TablePage, StatesHaveTheirNumbers) {
  EXPECT_EQ(static_cast<int>(SlotState::free), 0);
  EXPECT_EQ(static_cast<int>(SlotState::creating), 1);
  EXPECT_EQ(static_cast<int>(SlotState::live), 2);
  EXPECT_EQ(static_cast<int>(SlotState::dropping), 3);
}

TEST(TablePage, RefusesEverySingleBitFlip) {
  TablePage page = encode(page_index, slots_with(valid_slot(), 14));
  expect_no_flipped_bit_passes(page, 0, page.size(), [&] { return decode_table_page(page_index, page).has_value(); });
}

TEST(TablePage, APageOfZerosIsFreeAndNothingLikeItIs) {
  TablePage page{};
  EXPECT_EQ(decode_table_page(page_index, page).value(), Slots(slots_per_page));
  expect_no_flipped_bit_passes(page, 0, page.size(), [&] { return decode_table_page(page_index, page).has_value(); });
}

TEST(TablePage, APageOfFreeSlotsThatWasWrittenIsFree) {
  const TablePage page = encode(page_index, Slots(slots_per_page));
  EXPECT_NE(page, TablePage{});
  EXPECT_EQ(decode_table_page(page_index, page).value(), Slots(slots_per_page));
}

TEST(TablePage, APageInAnotherPlaceIsRefused) {
  const TablePage page = encode(page_index, slots_with(valid_slot(), 0));
  for (const std::uint32_t other : {0u, page_index - 1, page_index + 1, page_index | 0x80000000u}) {
    const auto read = decode_table_page(other, page);
    ASSERT_FALSE(read) << other;
    EXPECT_EQ(read.error().code, ErrorCode::corrupt);
  }
}

/// The page of a valid slot, the last one, with changed fields of it; the checksum is right.
TablePage changed(std::initializer_list<FieldChange> changes) {
  TablePage page = encode(page_index, slots_with(valid_slot(), 14));
  for (const FieldChange& change : changes)
    set_field(std::span(page).subspan(14 * slot_size), change.offset, change.size, change.value);
  set_crc(page, 4092, 0, 4092);
  return page;
}

TEST(TablePage, ChecksEveryBoundBehindAValidChecksum) {
  const std::size_t page_end = 4096 - 14 * slot_size;
  const FieldChange mistakes[] = {
      {"a member that is no holder", 8, 8, 0b100000},
      {"a member that is far from a holder", 8, 8, std::uint64_t{1} << 63},
      {"a holder that missed something and is none", 16, 8, 0b100000},
      {"no chunk", 32, 4, 0},
      {"chunk of no whole block", 32, 4, 4096 + 512},
      {"chunk too large", 32, 4, chunk_size_max + 4096},
      {"chunk that leaves its home no room for a tag", 32, 4, 18 * unit_size},
      {"free, but not empty", 36, 1, 0},
      {"state", 36, 1, 4},
      {"state", 36, 1, 255},
      {"chunk of no holder", 37, 1, 5},
      {"chunk of no holder", 37, 1, 255},
      {"no holders", 38, 1, 0},
      {"a holder fewer than are listed", 38, 1, 4},
      {"holders beyond the list", 38, 1, holder_count_max + 1},
      {"holders far beyond the list", 38, 1, 255},
      {"an extent fewer than are listed", 39, 1, 1},
      {"an extent more than are listed", 39, 1, 3},
      {"extents beyond the list", 39, 1, 5},
      {"extents far beyond the list", 39, 1, 255},
      {"home whose end overflows", 40, 4, 0xffffffff - 17},
      {"no home", 44, 4, 0},
      {"home smaller than its chunk", 44, 4, 15},
      {"home as large as its chunk", 44, 4, 16},
      {"home so large that its end overflows", 44, 4, 0xffffffff},
      {"reserve whose end overflows", 48, 4, 0xffffffff},
      {"empty extent of the reserve", 60, 4, 0},
      {"extent behind the last", 64, 4, 1},
      {"no code", 80, 1, 0},
      {"code with a blank", 81, 1, ' '},
      {"code with a control character", 81, 1, 0x7f},
      {"code with a byte above ASCII", 81, 1, 0xff},
      {"code goes on behind its end", 80 + 40, 1, 'a'},
      {"ordinal", 168, 1, device_count_max},
      {"ordinal", 168, 1, 255},
      {"two chunks on one device", 169, 1, 11},
      {"a device behind the last", 168 + 5, 1, 1},
      {"reserved in the slot", 232, 1, 1},
      {"reserved in the slot", 255, 1, 0x80},
      {"reserved in the page", page_end - 256, 1, 1},
      {"reserved in the page", page_end - 17, 1, 1},
      {"magic", page_end - 16, 1, 'p'},
      {"padding", page_end - 8, 4, 1},
  };
  for (const FieldChange& mistake : mistakes) {
    const auto read = decode_table_page(page_index, changed({mistake}));
    ASSERT_FALSE(read) << mistake.what << " at " << mistake.offset << ": " << mistake.value;
    EXPECT_EQ(read.error().code, ErrorCode::corrupt);
  }
}

TEST(TablePage, ChecksBoundsAlsoWhereFieldsAgree) {
  EXPECT_FALSE(decode_table_page(page_index, changed({{"no code", 80, 8, 0}})));
  EXPECT_FALSE(decode_table_page(
      page_index, changed({{"chunk too large", 32, 4, chunk_size_max + 4096}, {"home for it", 44, 4, 20000}})));
  EXPECT_TRUE(decode_table_page(page_index,
                                changed({{"largest chunk", 32, 4, chunk_size_max}, {"home for it", 44, 4, 20000}})));
}

TEST(TablePage, AcceptsWhatIsJustWithinTheBounds) {
  const FieldChange changes[] = {
      {"all holders are members", 8, 8, 0b11111},
      {"none is", 8, 8, 0},
      {"all missed something", 16, 8, 0b11111},
      {"chunk of one block", 32, 4, 4096},
      {"chunk and one block fill the home", 32, 4, 18 * unit_size - 4096},
      {"creating", 36, 1, 1},
      {"dropping", 36, 1, 3},
      {"chunk of the first holder", 37, 1, 0},
      {"home up to the last unit", 40, 4, 0xffffffff - 18},
      {"home of a unit more than its chunk", 44, 4, 17},
      {"ordinal", 168, 1, device_count_max - 1 - 1},
  };
  for (const FieldChange& change : changes) {
    const auto read = decode_table_page(page_index, changed({change}));
    EXPECT_TRUE(read) << change.what << ": " << read.error().message();
  }
}

TEST(TablePage, HoldsAsMuchAsDocumented) {
  ChunkSlot s = valid_slot();
  s.devices.clear();
  for (unsigned i = 0; i < holder_count_max; ++i) s.devices.push_back(static_cast<std::uint8_t>(127 - i));
  s.chunk = holder_count_max - 1;
  s.members.holders = s.missed = HolderSet::range(0, holder_count_max);
  s.reserve.assign(reserve_extent_count_max, {0xfffffffe, 1});
  s.code = std::string(slot_code_text_size_max, 'x');
  const Slots slots(slots_per_page, s);
  EXPECT_EQ(decode_table_page(page_index, encode(page_index, slots)).value(), slots);
}

}  // namespace
}  // namespace parapet::layout

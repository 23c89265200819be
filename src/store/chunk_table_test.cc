#include "store/chunk_table.h"

#include <gtest/gtest.h>

namespace parapet::store {
namespace {

using layout::ChunkSlot;
using layout::slots_per_page;
using layout::SlotState;

ChunkSlot slot(std::uint64_t segment) {
  ChunkSlot slot;
  slot.state = SlotState::live;
  slot.segment = {segment};
  slot.chunk_size = 64 << 10;
  slot.code = "rs(4,2)";
  slot.devices = {0, 1, 2, 3, 4, 5};
  slot.home = {static_cast<std::uint32_t>(2 * segment), 2};
  return slot;
}

TEST(ChunkTable, ASlotIsFoundByItsSegment) {
  ChunkTable table(2);
  EXPECT_EQ(table.slot_count(), 2 * slots_per_page);
  EXPECT_EQ(table.find({7}), std::nullopt);
  table.set(3, slot(7));
  EXPECT_EQ(table.find({7}), 3u);
  EXPECT_EQ(table[3], slot(7));
  table.set(3, slot(8));
  EXPECT_EQ(table.find({7}), std::nullopt) << "replaced";
  EXPECT_EQ(table.find({8}), 3u);
  table.set(3, {});
  EXPECT_EQ(table.find({8}), std::nullopt);
  EXPECT_TRUE(table.segments().empty());
}

TEST(ChunkTable, SegmentsComeInAscendingOrder) {
  ChunkTable table(1);
  for (const std::uint64_t segment : {9, 2, 5}) table.set(14 - segment, slot(segment));
  std::vector<std::uint64_t> ids;
  for (const auto& [segment, index] : table.segments()) {
    ids.push_back(segment.value);
    EXPECT_EQ(index, 14 - segment.value);
  }
  EXPECT_EQ(ids, (std::vector<std::uint64_t>{2, 5, 9}));
}

TEST(ChunkTable, EveryFreeSlotIsFoundAndNoOther) {
  ChunkTable table(2);
  for (std::uint64_t i = 0; i < table.slot_count(); ++i) {
    const auto index = table.find_free();
    ASSERT_TRUE(index);
    EXPECT_EQ(table[*index].state, SlotState::free);
    EXPECT_EQ(table.find_free(), index) << "until it is set";
    table.set(*index, slot(i + 1));
  }
  EXPECT_EQ(table.find_free(), std::nullopt);
  for (const std::size_t freed : {std::size_t{29}, std::size_t{0}, std::size_t{13}}) {
    const ChunkSlot before = table[freed];
    table.set(freed, {});
    EXPECT_EQ(table.find_free(), freed);
    table.set(freed, before);
  }
}

TEST(ChunkTable, APageHasTheSlotsOfItsPlaceOnly) {
  ChunkTable table(2);
  table.set(14, slot(1));
  table.set(15, slot(2));
  EXPECT_EQ(ChunkTable::page_of(14), 0u);
  EXPECT_EQ(ChunkTable::page_of(15), 1u);
  const auto page = table.page_image(16);
  const auto slots = layout::decode_table_page(1, page);
  ASSERT_TRUE(slots);
  EXPECT_EQ((*slots)[0], slot(2));
  EXPECT_EQ((*slots)[1], ChunkSlot{});
  EXPECT_FALSE(layout::decode_table_page(0, page));
  EXPECT_EQ((*layout::decode_table_page(0, table.page_image(0)))[14], slot(1));
}

TEST(ChunkTable, PagesThatAreReadAreTaken) {
  ChunkTable table(2);
  table.set(20, slot(99));
  std::vector<ChunkSlot> page(slots_per_page);
  page[0] = slot(4);
  page[14] = slot(3);
  EXPECT_TRUE(table.put_page(1, page));
  EXPECT_EQ(table.find({4}), 15u);
  EXPECT_EQ(table.find({3}), 29u);
  EXPECT_EQ(table.find({99}), std::nullopt) << "the page says that the slot is free";
  EXPECT_TRUE(table.put_page(1, page)) << "again";
  EXPECT_EQ(table.segments().size(), 2u);
}

TEST(ChunkTable, TwoSlotsOfOneSegmentAreRefused) {
  ChunkTable table(2);
  std::vector<ChunkSlot> page(slots_per_page);
  page[2] = page[5] = slot(4);
  EXPECT_FALSE(table.put_page(0, page)) << "in one page";
  ChunkTable other(2);
  page[5] = {};
  EXPECT_TRUE(other.put_page(0, page));
  EXPECT_FALSE(other.put_page(1, page)) << "in two";
}

}  // namespace
}  // namespace parapet::store

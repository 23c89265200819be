#include "store/space.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"

namespace parapet::store {
namespace {

using layout::Extent;

TEST(Space, GivesOutContiguousUnitsThatNobodyHas) {
  Space space(10);
  EXPECT_EQ(space.unit_count(), 10u);
  EXPECT_EQ(space.allocate(4, 0), (Extent{0, 4}));
  EXPECT_EQ(space.allocate(4, 0), (Extent{4, 4}));
  EXPECT_EQ(space.allocate(4, 0), std::nullopt) << "two are left";
  EXPECT_EQ(space.free_count(), 2u);
  EXPECT_EQ(space.allocate(2, 0), (Extent{8, 2}));
  EXPECT_EQ(space.free_count(), 0u);
  EXPECT_EQ(space.allocate(1, 0), std::nullopt);
}

TEST(Space, LeavesSpareUnitsFree) {
  Space space(10);
  EXPECT_EQ(space.allocate(6, 5), std::nullopt);
  EXPECT_EQ(space.allocate(6, 4), (Extent{0, 6}));
  EXPECT_EQ(space.allocate(1, 4), std::nullopt);
  EXPECT_EQ(space.allocate(4, 0), (Extent{6, 4}));
}

TEST(Space, SearchesOnFromWhereTheLastSearchEnded) {
  Space space(10);
  ASSERT_TRUE(space.allocate(6, 0));
  space.give_back({0, 6}, 5);
  space.head_passed(6);
  EXPECT_EQ(space.allocate(3, 0), (Extent{6, 3}));
  EXPECT_EQ(space.allocate(3, 0), (Extent{0, 3})) << "a run does not go round the end";
}

TEST(Space, ARunAcrossWhereTheSearchBeginsIsFound) {
  Space space(10);
  ASSERT_TRUE(space.allocate(5, 0));
  space.give_back({0, 5}, 1);
  space.head_passed(2);
  EXPECT_EQ(space.allocate(8, 0), (Extent{0, 8}));
}

TEST(Space, FragmentsAreNotGivenOutAsOne) {
  Space space(9);
  ASSERT_TRUE(space.take({2, 1}));
  ASSERT_TRUE(space.take({5, 1}));
  ASSERT_TRUE(space.take({8, 1}));
  EXPECT_EQ(space.free_count(), 6u);
  EXPECT_EQ(space.allocate(3, 0), std::nullopt);
  EXPECT_EQ(space.allocate(2, 0), (Extent{0, 2}));
}

TEST(Space, TakesOnlyFreeUnitsWithinBounds) {
  Space space(10);
  EXPECT_TRUE(space.take({3, 3}));
  EXPECT_FALSE(space.take({5, 2}));
  EXPECT_FALSE(space.taken(6)) << "all or nothing";
  EXPECT_FALSE(space.take({2, 2}));
  EXPECT_FALSE(space.taken(2));
  EXPECT_FALSE(space.take({9, 2}));
  EXPECT_FALSE(space.take({11, 0}));
  EXPECT_FALSE(space.take({0xffffffff, 2}));
  EXPECT_FALSE(space.take({2, 0xffffffff}));
  EXPECT_TRUE(space.take({6, 4}));
  EXPECT_EQ(space.free_count(), 3u);
}

TEST(Space, UnitsLeaveUntilTheHeadHasPassed) {
  Space space(4);
  ASSERT_TRUE(space.allocate(4, 0));
  space.give_back({0, 2}, 100);
  space.give_back({2, 2}, 200);
  EXPECT_EQ(space.leaving_count(), 4u);
  EXPECT_EQ(space.free_count(), 0u);
  space.head_passed(100);
  EXPECT_EQ(space.free_count(), 0u) << "the record at 100 is still there";
  EXPECT_TRUE(space.taken(0));
  space.head_passed(101);
  EXPECT_EQ(space.free_count(), 2u);
  EXPECT_EQ(space.leaving_count(), 2u);
  EXPECT_FALSE(space.taken(0));
  EXPECT_TRUE(space.taken(2));
  EXPECT_EQ(space.allocate(2, 0), (Extent{0, 2}));
  space.head_passed(1000);
  EXPECT_EQ(space.free_count(), 2u);
}

TEST(Space, UnitsThatNothingDurableNamedAreFreeAtOnce) {
  Space space(4);
  ASSERT_TRUE(space.allocate(3, 0));
  space.free_now({1, 2});
  EXPECT_EQ(space.free_count(), 3u);
  EXPECT_EQ(space.leaving_count(), 0u);
  EXPECT_EQ(space.allocate(3, 0), (Extent{1, 3}));
}

TEST(Space, UnitsOfWhichTheLogHasImagesLeaveToo) {
  Space space(4);
  ASSERT_TRUE(space.take({1, 1}));
  space.leave_untaken(1, 50);
  EXPECT_EQ(space.leaving_count(), 0u) << "it has an owner";
  space.leave_untaken(0, 50);
  space.leave_untaken(0, 50);
  EXPECT_EQ(space.leaving_count(), 1u);
  EXPECT_EQ(space.allocate(3, 0), std::nullopt);
  EXPECT_EQ(space.allocate(1, 0), (Extent{2, 1}));
  space.head_passed(51);
  EXPECT_EQ(space.leaving_count(), 0u);
  EXPECT_EQ(space.free_count(), 2u);
  EXPECT_TRUE(space.taken(1));
}

// Against a model: every unit is free, taken or leaving, and nothing else.
TEST(Space, EveryUnitIsFreeOrTakenOrLeaving) {
  enum class State : std::uint8_t { free, taken, leaving };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    base::Prng prng(seed);
    const auto total = static_cast<std::uint32_t>(1 + prng.below(60));
    Space space(total);
    std::vector<State> model(total, State::free);
    std::vector<Extent> owned;
    std::vector<std::pair<layout::Lsn, Extent>> leaving;
    layout::Lsn lsn = 0;
    const auto set = [&](const Extent& extent, State from, State to) {
      for (std::uint32_t i = 0; i < extent.unit_count; ++i) {
        ASSERT_EQ(model[extent.first_unit + i], from);
        model[extent.first_unit + i] = to;
      }
    };
    for (int step = 0; step < 300; ++step) {
      lsn += prng.below(3);
      const auto count = static_cast<std::uint32_t>(1 + prng.below(8));
      if (prng.below(2) == 0) {
        if (const auto extent = space.allocate(count, 0)) {
          ASSERT_EQ(extent->unit_count, count);
          set(*extent, State::free, State::taken);
          owned.push_back(*extent);
        }
      } else if (!owned.empty()) {
        std::swap(owned[prng.below(owned.size())], owned.back());
        space.give_back(owned.back(), lsn);
        set(owned.back(), State::taken, State::leaving);
        leaving.emplace_back(lsn, owned.back());
        owned.pop_back();
      }
      if (prng.below(4) == 0) {
        const layout::Lsn head = lsn - std::min<layout::Lsn>(lsn, prng.below(4));
        space.head_passed(head);
        std::erase_if(leaving, [&](const auto& entry) {
          if (entry.first >= head) return false;
          set(entry.second, State::leaving, State::free);
          return true;
        });
      }
      ASSERT_EQ(space.free_count(), std::ranges::count(model, State::free));
      ASSERT_EQ(space.leaving_count(), std::ranges::count(model, State::leaving));
      for (std::uint32_t unit = 0; unit < total; ++unit) ASSERT_EQ(space.taken(unit), model[unit] != State::free);
    }
  }
}

}  // namespace
}  // namespace parapet::store

#include "store/page_images.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace parapet::store {
namespace {

/// A record whose images are filled with `value`, `value` + 1, ...
RecordPtr pages(std::vector<layout::PagePlace> places, std::uint8_t value) {
  auto record = std::make_shared<Record>();
  record->header.kind = layout::RecordKind::pages;
  Bytes payload;
  for (const layout::PagePlace& place : places) payload.insert(payload.end(), place.size, value++);
  record->places = std::move(places);
  record->payload = shared_bytes(payload);
  return record;
}

/// The bytes' common value and how many they are; nothing when there is no image.
std::optional<std::pair<unsigned, std::size_t>> value_at(const PageImages& images, std::uint64_t offset) {
  const auto bytes = images.find(offset);
  if (bytes.empty()) return std::nullopt;
  EXPECT_TRUE(std::ranges::all_of(bytes, [&](std::uint8_t byte) { return byte == bytes.front(); }));
  return std::pair(unsigned{bytes.front()}, bytes.size());
}

using Value = std::pair<unsigned, std::size_t>;

std::vector<std::uint64_t> places_of(const PageImages& images) {
  std::vector<std::uint64_t> offsets;
  images.for_each_place([&](std::uint64_t offset) { offsets.push_back(offset); });
  return offsets;
}

std::vector<std::pair<std::uint64_t, unsigned>> newest_of(const PageImages& images, const RecordPtr& record) {
  std::vector<std::pair<std::uint64_t, unsigned>> found;
  images.for_each_of(record, [&](std::uint64_t offset, std::span<const std::uint8_t> bytes) {
    found.emplace_back(offset, bytes.front());
  });
  return found;
}

TEST(PageImages, EachImageIsFoundAtItsPlace) {
  PageImages images;
  images.add(pages({{8192, 4096}, {4096, 4096}, {65536, 12288}}, 1));
  EXPECT_EQ(value_at(images, 8192), (Value{1, 4096}));
  EXPECT_EQ(value_at(images, 4096), (Value{2, 4096}));
  EXPECT_EQ(value_at(images, 65536), (Value{3, 12288}));
  EXPECT_EQ(value_at(images, 0), std::nullopt);
  EXPECT_EQ(value_at(images, 69632), std::nullopt) << "only where a place begins";
  EXPECT_EQ(places_of(images), (std::vector<std::uint64_t>{4096, 8192, 65536}));
}

TEST(PageImages, ALaterImageReplacesAnEarlierOne) {
  PageImages images;
  const auto older = pages({{0, 4096}, {4096, 4096}}, 1);
  const auto newer = pages({{4096, 8192}}, 7);
  images.add(older);
  images.add(newer);
  EXPECT_EQ(value_at(images, 0), (Value{1, 4096}));
  EXPECT_EQ(value_at(images, 4096), (Value{7, 8192}));
  EXPECT_EQ(newest_of(images, older), (std::vector<std::pair<std::uint64_t, unsigned>>{{0, 1}}));
  EXPECT_EQ(newest_of(images, newer), (std::vector<std::pair<std::uint64_t, unsigned>>{{4096, 7}}));
}

TEST(PageImages, DroppingARecordLeavesNewerImages) {
  PageImages images;
  const auto older = pages({{0, 4096}, {4096, 4096}}, 1);
  const auto newer = pages({{4096, 4096}}, 7);
  images.add(older);
  images.add(newer);
  images.drop_of(older);
  EXPECT_EQ(value_at(images, 0), std::nullopt);
  EXPECT_EQ(value_at(images, 4096), (Value{7, 4096}));
  images.drop_of(older);
  images.drop_of(newer);
  EXPECT_TRUE(places_of(images).empty());
}

TEST(PageImages, KnowsHowFarTheLogMustBeDurableForAnImageToBeReplaced) {
  PageImages images;
  const auto older = pages({{0, 4096}, {4096, 4096}}, 1);
  const auto newer = pages({{4096, 4096}}, 7);
  older->header.lsn = 100;
  newer->header.lsn = 200;
  images.add(older);
  EXPECT_TRUE(images.newest_before(*older, 101));
  EXPECT_FALSE(images.newest_before(*older, 100));
  images.add(newer);
  EXPECT_FALSE(images.newest_before(*older, 200));
  EXPECT_TRUE(images.newest_before(*older, 201));
  images.drop_range(4096, 8192);
  EXPECT_TRUE(images.newest_before(*older, 101)) << "nobody owns the other place any more";
}

TEST(PageImages, ARangeIsDroppedWithoutItsEnd) {
  PageImages images;
  const auto record = pages({{0, 4096}, {4096, 4096}, {8192, 4096}, {12288, 4096}}, 1);
  images.add(record);
  images.drop_range(4096, 12288);
  EXPECT_EQ(places_of(images), (std::vector<std::uint64_t>{0, 12288}));
  EXPECT_EQ(newest_of(images, record), (std::vector<std::pair<std::uint64_t, unsigned>>{{0, 1}, {12288, 4}}));
  images.drop_range(4096, 12288);
  images.drop_range(0, 1);
  EXPECT_EQ(places_of(images), (std::vector<std::uint64_t>{12288}));
}

TEST(PageImages, ARecordLivesAsLongAsAnImageOfIt) {
  PageImages images;
  std::weak_ptr<Record> watched;
  {
    const auto record = pages({{0, 4096}, {4096, 4096}}, 1);
    watched = record;
    images.add(record);
  }
  images.drop_range(0, 4096);
  EXPECT_FALSE(watched.expired());
  EXPECT_EQ(value_at(images, 4096), (Value{2, 4096}));
  images.drop_range(4096, 8192);
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace parapet::store

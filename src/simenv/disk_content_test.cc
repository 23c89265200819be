#include "simenv/disk_content.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "simenv/power_loss.h"

namespace parapet::simenv {
namespace {

// A disk of eight sectors, each filled with one value: its content is eight numbers.
class Sectors {
 public:
  using Values = std::vector<int>;

  DiskContent::WriteId begin(std::size_t sector, std::size_t count, std::uint8_t value) {
    const std::vector<std::uint8_t> bytes(count * sector_size, value);
    return content.begin_write(sector * sector_size, bytes);
  }
  void write(std::size_t sector, std::size_t count, std::uint8_t value) {
    content.finish_write(begin(sector, count, value));
  }
  void write_durable(std::size_t sector, std::size_t count, std::uint8_t value) {
    content.finish_durable_write(begin(sector, count, value));
  }
  void flush() { content.finish_flush(content.begin_flush()); }
  void lose_all() {
    content.lose_power([](std::size_t, std::size_t) { return false; });
  }
  void keep_all() {
    content.lose_power([](std::size_t, std::size_t) { return true; });
  }
  Values read() {
    std::vector<std::uint8_t> bytes(8 * sector_size);
    content.read(0, bytes, prng);
    Values values;
    for (std::size_t i = 0; i < 8; ++i) {
      values.push_back(bytes[i * sector_size]);
      for (std::size_t j = 0; j < sector_size; ++j) EXPECT_EQ(bytes[i * sector_size + j], values.back()) << i;
    }
    return values;
  }

  base::Prng prng{1};
  DiskContent content;
};

using Values = Sectors::Values;

TEST(DiskContent, ReadsSeeTheNewestDoneWrite) {
  Sectors disk;
  disk.write(0, 4, 1);
  disk.write(2, 4, 2);
  EXPECT_EQ(disk.read(), (Values{1, 1, 2, 2, 2, 2, 0, 0}));
}

TEST(DiskContent, ReadsSeeAnySectorsOfAWriteUnderWay) {
  Sectors disk;
  disk.write(0, 8, 1);
  const auto id = disk.begin(2, 2, 2);
  std::set<Values> seen;
  for (int i = 0; i < 100; ++i) seen.insert(disk.read());
  EXPECT_EQ(
      seen,
      (std::set<Values>{
          {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 2, 1, 1, 1, 1, 1}, {1, 1, 1, 2, 1, 1, 1, 1}, {1, 1, 2, 2, 1, 1, 1, 1}}));
  disk.content.finish_write(id);
  EXPECT_EQ(disk.read(), (Values{1, 1, 2, 2, 1, 1, 1, 1}));
}

TEST(DiskContent, AFlushCoversWhatWasDoneBeforeItWasStarted) {
  Sectors disk;
  disk.write(0, 1, 1);
  const auto under_way = disk.begin(1, 1, 2);
  const auto mark = disk.content.begin_flush();
  disk.content.finish_write(under_way);
  disk.write(2, 1, 3);
  disk.content.finish_flush(mark);
  EXPECT_EQ(disk.content.unflushed().size(), 2u);
  disk.lose_all();
  EXPECT_EQ(disk.read(), (Values{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(DiskContent, ADurableWriteSaysNothingAboutOthers) {
  Sectors disk;
  disk.write(0, 2, 1);
  disk.write_durable(4, 2, 2);
  disk.lose_all();
  EXPECT_EQ(disk.read(), (Values{0, 0, 0, 0, 2, 2, 0, 0}));
}

TEST(DiskContent, ADurableWriteSupersedesOlderOnes) {
  Sectors disk;
  disk.write(0, 4, 1);
  disk.write_durable(1, 2, 2);
  EXPECT_EQ(disk.read(), (Values{1, 2, 2, 1, 0, 0, 0, 0}));
  disk.keep_all();
  EXPECT_EQ(disk.read(), (Values{1, 2, 2, 1, 0, 0, 0, 0}));
}

TEST(DiskContent, AFlushDoesNotBringOlderBytesBackOverADurableWrite) {
  Sectors disk;
  disk.write(0, 4, 1);
  const auto mark = disk.content.begin_flush();
  disk.write_durable(1, 2, 2);
  disk.content.finish_flush(mark);
  disk.lose_all();
  EXPECT_EQ(disk.read(), (Values{1, 2, 2, 1, 0, 0, 0, 0}));
}

TEST(DiskContent, FlushesMayOverlap) {
  Sectors disk;
  disk.write(0, 1, 1);
  const auto first = disk.content.begin_flush();
  disk.write(0, 2, 2);
  const auto second = disk.content.begin_flush();
  disk.content.finish_flush(second);
  disk.content.finish_flush(first);
  disk.lose_all();
  EXPECT_EQ(disk.read(), (Values{2, 2, 0, 0, 0, 0, 0, 0}));
}

TEST(DiskContent, PowerLossKeepsJustTheSectorsChosen) {
  Sectors disk;
  disk.write(0, 4, 1);
  disk.flush();
  disk.write(0, 2, 2);
  disk.write(1, 3, 3);
  disk.begin(6, 2, 4);
  const std::set<std::pair<std::size_t, std::size_t>> kept = {{0, 1}, {1, 2}, {2, 0}};
  disk.content.lose_power([&](std::size_t write, std::size_t sector) { return kept.contains({write, sector}); });
  EXPECT_EQ(disk.read(), (Values{1, 2, 1, 3, 0, 0, 4, 0}));
  EXPECT_TRUE(disk.content.unflushed().empty());
}

TEST(DiskContent, AFailedFlushMayLoseWritesForEver) {
  bool lost = false, kept = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Sectors disk;
    disk.prng = base::Prng(seed);
    disk.write(0, 1, 1);
    disk.content.fail_flush(disk.content.begin_flush(), disk.prng);
    EXPECT_EQ(disk.read()[0], 1);
    disk.flush();
    disk.lose_all();
    (disk.read()[0] == 1 ? kept : lost) = true;
  }
  EXPECT_TRUE(lost);
  EXPECT_TRUE(kept);
}

TEST(DiskContent, ATornWriteIsNotDurable) {
  std::set<Values> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Sectors disk;
    disk.prng = base::Prng(seed);
    disk.content.tear_write(disk.begin(0, 2, 1), disk.prng);
    seen.insert(disk.read());
    disk.lose_all();
    EXPECT_EQ(disk.read(), Values(8));
  }
  EXPECT_EQ(seen.size(), 4u);
}

TEST(DiskContent, RotIsCoveredByNewerWrites) {
  Sectors disk;
  disk.write(0, 2, 1);
  disk.flush();
  disk.write(0, 1, 2);
  disk.content.flip_bit(0, 3);
  EXPECT_EQ(disk.read()[0], 2);
  disk.lose_all();
  std::vector<std::uint8_t> bytes(sector_size);
  disk.content.read(0, bytes, disk.prng);
  EXPECT_EQ(bytes[0], 1 ^ 8);
  EXPECT_EQ(bytes[1], 1);
}

TEST(RandomKeep, LeavesAllNoneSomeTornAndReordered) {
  std::set<Values> seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Sectors disk;
    disk.write(4, 4, 9);
    disk.flush();
    disk.write(0, 2, 1);
    disk.begin(2, 2, 2);
    base::Prng prng(seed);
    disk.content.lose_power(RandomKeep(prng));
    const Values left = disk.read();
    EXPECT_EQ(Values(left.begin() + 4, left.end()), Values(4, 9)) << "flushed bytes stay";
    seen.insert(Values(left.begin(), left.begin() + 4));
  }
  EXPECT_EQ(seen.size(), 16u) << "every subset of four sectors";
}

}  // namespace
}  // namespace parapet::simenv

#include "simenv/service_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <utility>

namespace parapet::simenv {
namespace {

using Kind = env::Io::Kind;
using env::Time;
using namespace std::chrono_literals;

constexpr std::uint64_t disk_size = std::uint64_t{1} << 40;
constexpr std::size_t block = env::io_alignment;

env::Io operation(Kind kind, std::uint64_t offset, std::size_t size = block) {
  env::Io io;
  io.kind = kind;
  io.offset = offset;
  if (kind != Kind::flush) io.buffer = env::IoBuffer(size);
  return io;
}

std::uint64_t random_offset(base::Prng& prng) { return prng.below(disk_size / block) * block; }

// Virtual time for `count` operations of which `depth` are under way at any time.
Time run(ServiceTime& disk, Kind kind, int count, std::size_t depth, const std::function<std::uint64_t()>& next_offset,
         std::size_t size = block) {
  base::Prng prng(1);
  std::multiset<Time> under_way;
  Time now{0}, last{0};
  for (int i = 0; i < count; ++i) {
    if (under_way.size() == depth) {
      now = *under_way.begin();
      under_way.erase(under_way.begin());
    }
    const Time done = disk.done_at(operation(kind, next_offset(), size), now, prng);
    EXPECT_GE(done, now);
    last = std::max(last, done);
    under_way.insert(done);
  }
  return last;
}

std::function<std::uint64_t()> sequential(std::size_t size = block) {
  return [offset = std::uint64_t{0}, size]() mutable { return std::exchange(offset, offset + size); };
}

std::function<std::uint64_t()> scattered() {
  return [prng = base::Prng(2)]() mutable { return random_offset(prng); };
}

TEST(RandomServiceTime, CompletionsOvertakeEachOther) {
  const auto disk = random_service_time();
  base::Prng prng(1);
  bool overtaken = false;
  Time last{0};
  for (int i = 0; i < 1000; ++i) {
    const Time done = disk->done_at(operation(Kind::read, 0), Time(0), prng);
    ASSERT_GE(done, 1us);
    ASSERT_LE(done, 200us);
    overtaken = overtaken || done < last;
    last = done;
  }
  EXPECT_TRUE(overtaken);
}

TEST(HardDisk, ReadsAtRandomTakeASeekAndHalfARotation) {
  const auto disk = hard_disk_service_time(disk_size);
  const Time each = run(*disk, Kind::read, 1000, 1, scattered()) / 1000;
  EXPECT_GT(each, 11ms);
  EXPECT_LT(each, 15ms);
}

TEST(HardDisk, SequentialReadsRunAtTheSpeedOfTheMedia) {
  const auto disk = hard_disk_service_time(disk_size);
  constexpr std::size_t size = 1 << 20;
  const Time each = run(*disk, Kind::read, 1000, 1, sequential(size), size) / 1000;
  EXPECT_GT(each, 5ms);
  EXPECT_LT(each, 6ms);
}

TEST(HardDisk, DepthDoesNotHelp) {
  const auto alone = hard_disk_service_time(disk_size), deep = hard_disk_service_time(disk_size);
  EXPECT_EQ(run(*alone, Kind::read, 200, 1, scattered()), run(*deep, Kind::read, 200, 32, scattered()));
}

TEST(HardDisk, TheCacheTakesWritesUntilItIsFullAndAFlushEmptiesIt) {
  const auto disk = hard_disk_service_time(disk_size);
  base::Prng prng(1);
  constexpr std::size_t size = 1 << 20;
  Time now{0};
  for (int i = 0; i < 64; ++i) {
    const Time done = disk->done_at(operation(Kind::write, random_offset(prng), size), now, prng);
    EXPECT_LT(done - now, 3ms) << i;
    now = done;
  }
  const Time full = disk->done_at(operation(Kind::write, random_offset(prng), 32 * size), now, prng);
  EXPECT_GT(full - now, 200ms);
  const Time flushed = disk->done_at(operation(Kind::flush, 0), full, prng);
  EXPECT_GT(flushed - full, 200ms);
  EXPECT_LT(disk->done_at(operation(Kind::flush, 0), flushed, prng) - flushed, 1ms) << "nothing to empty";
}

TEST(HardDisk, APowerFailureEmptiesTheQueue) {
  const auto disk = hard_disk_service_time(disk_size);
  run(*disk, Kind::write, 100, 100, scattered());
  disk->power_off();
  base::Prng prng(1);
  EXPECT_LT(disk->done_at(operation(Kind::flush, 0), 0ns, prng), 1ms);
  EXPECT_LT(disk->done_at(operation(Kind::read, 0), 0ns, prng), 30ms);
}

TEST(HardDisk, DurableWritesWaitForTheMedia) {
  const auto disk = hard_disk_service_time(disk_size);
  EXPECT_GT(run(*disk, Kind::write_durable, 100, 1, scattered()) / 100, 10ms);
}

TEST(SataSsd, DepthHelpsUntilTheLinkIsFull) {
  const auto alone = sata_ssd_service_time(), deep = sata_ssd_service_time(), deeper = sata_ssd_service_time();
  const Time one = run(*alone, Kind::read, 1000, 1, scattered());
  const Time many = run(*deep, Kind::read, 1000, 32, scattered());
  EXPECT_GT(one / 1000, 80us);
  EXPECT_LT(one / 1000, 100us);
  EXPECT_GT(one, 5 * many);
  EXPECT_GE(run(*deeper, Kind::read, 1000, 1000, scattered()), Time(1000 * block * 1'000'000'000 / 530'000'000));
}

TEST(SataSsd, FlushesAndDurableWritesCost) {
  const auto disk = sata_ssd_service_time();
  base::Prng prng(1);
  const Time written = disk->done_at(operation(Kind::write, 0), Time(0), prng);
  EXPECT_LT(written, 50us);
  EXPECT_EQ(disk->done_at(operation(Kind::flush, 0), Time(0), prng), written + 500us);
  EXPECT_GT(disk->done_at(operation(Kind::write_durable, 0), 1s, prng), 1s + 500us);
}

TEST(SataSsd, APowerFailureEmptiesTheQueue) {
  const auto disk = sata_ssd_service_time();
  run(*disk, Kind::write, 1000, 1000, scattered());
  disk->power_off();
  base::Prng prng(1);
  EXPECT_EQ(disk->done_at(operation(Kind::flush, 0), 0ns, prng), 500us);
  EXPECT_LT(disk->done_at(operation(Kind::read, 0), 0ns, prng), 100us);
}

TEST(NvmeSsd, IsFasterThanSata) {
  const auto sata = sata_ssd_service_time(), nvme = nvme_ssd_service_time();
  EXPECT_GT(run(*sata, Kind::read, 10'000, 128, scattered()), 5 * run(*nvme, Kind::read, 10'000, 128, scattered()));
  const auto idle = nvme_ssd_service_time();
  base::Prng prng(1);
  EXPECT_LT(idle->done_at(operation(Kind::read, 0), Time(0), prng), 72us);
  EXPECT_LT(idle->done_at(operation(Kind::flush, 0), 1s, prng), 1s + 21us);
}

}  // namespace
}  // namespace parapet::simenv

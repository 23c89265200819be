// Many threads on one pool in real files. In a build with ThreadSanitizer this is what it looks at.
//
// The number of pools is 4, one for each scheme, times PARAPET_TEST_SEEDS.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "base/test_seeds.h"
#include "library/block_pattern.h"
#include "library/pool_testing.h"

namespace parapet::library {
namespace {

constexpr unsigned thread_count = 8;
constexpr std::size_t segment_count = 3;

/// What a block must be. Who writes or checks it holds its mutex, so that the two agree.
struct Block {
  std::mutex mutex;
  std::uint64_t version = 0;
};

struct Load {
  explicit Load(std::uint64_t seed_of_all) : seed(seed_of_all) {
    PoolCreateOptions options = small_pool();
    options.scheme = static_cast<UpdateScheme>(seed % 4);
    options.code = "rs(3,2)";
    options.log_size = 512 << 10;  // It goes round.
    Pool::create(devices.paths, options).value();
    open();
    for (std::size_t i = 0; i < segment_count; ++i) segments.push_back(pool->allocate().value());
    block_count = pool->segment_size() / pattern_size;
    model = std::vector<Block>(segment_count * block_count);
  }
  void open() { pool = std::make_unique<Pool>(Pool::open(devices.paths).value()); }
  [[nodiscard]] BlockName name_of(std::size_t index) const {
    return {segments[index / block_count], index % block_count};
  }

  void write(std::size_t index) {
    Block& block = model[index];
    const std::lock_guard lock(block.mutex);
    std::vector<std::uint8_t> bytes(pattern_size);
    write_pattern(name_of(index), ++block.version, bytes);
    // In two parts, so that writes begin and end within blocks. A reader may see the one without the other.
    const std::size_t cut = block.version * 512 % pattern_size;
    const std::uint64_t offset = name_of(index).block * pattern_size;
    require(pool->write(name_of(index).segment, offset, {bytes.data(), cut}));
    require(pool->write(name_of(index).segment, offset + cut, {bytes.data() + cut, pattern_size - cut}));
  }
  void check(std::size_t index) {
    Block& block = model[index];
    const std::lock_guard lock(block.mutex);
    std::vector<std::uint8_t> bytes(pattern_size);
    require(pool->read(name_of(index).segment, name_of(index).block * pattern_size, {bytes.data(), bytes.size()}));
    EXPECT_EQ(version_of(name_of(index), bytes), block.version) << "block " << index;
  }
  /// Several blocks at once, beside all that is written to them.
  void read_across(base::Prng& random) {
    const SegmentId segment = segments[random.below(segment_count)];
    std::vector<std::uint8_t> bytes(1 + random.below(pool->segment_size() / 2));
    require(pool->read(segment, random.below(pool->segment_size() - bytes.size()), {bytes.data(), bytes.size()}));
  }
  static void require(const Result<void>& result) { EXPECT_TRUE(result.has_value()) << result.error().message(); }

  void act(base::Prng& random) {
    const auto index = static_cast<std::size_t>(random.below(model.size()));
    switch (random.below(16)) {
      case 0:
        return require(pool->flush());
      case 1:
      case 2:
        return read_across(random);
      case 3: {
        const auto segment = pool->allocate();
        EXPECT_TRUE(segment.has_value() || segment.error().code == ErrorCode::no_space) << segment.error().message();
        if (segment) require(pool->remove(*segment));
        return;
      }
      case 4: {
        const auto damaged = pool->scrub(segments[random.below(segment_count)]);
        EXPECT_TRUE(damaged.has_value());
        return;
      }
      case 5:
        EXPECT_EQ(pool->status().devices.size(), devices.paths.size());
        EXPECT_GE(pool->segments().size(), segment_count);
        return;
      case 6:
      case 7:
      case 8:
        return check(index);
      default:
        return write(index);
    }
  }

  /// All threads at work; once half of it is done, `middle` runs beside them.
  void work(const std::function<void()>& middle) {
    constexpr unsigned action_count = 100;
    std::atomic<unsigned> done = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < thread_count; ++i)
      threads.emplace_back([this, i, &done] {
        base::Prng random(seed * thread_count + i);
        for (unsigned action = 0; action < action_count; ++action) {
          act(random);
          if (++done == thread_count * action_count / 2) done.notify_all();
        }
      });
    for (unsigned seen = done; seen < thread_count * action_count / 2; seen = done) done.wait(seen);
    middle();
    for (std::thread& thread : threads) thread.join();
    for (std::size_t index = 0; index < model.size(); ++index) check(index);
  }

  /// A device goes in the first half and comes back in the second.
  void run() {
    work([&] { require(pool->put_out(2)); });
    EXPECT_EQ(pool->status().devices[2].state, DeviceState::out);
    require(pool->close());
    open();
    EXPECT_EQ(pool->status().devices[2].state, DeviceState::out);
    work([&] { require(pool->restore(2)); });
    EXPECT_EQ(pool->status().devices[2].state, DeviceState::in);
    require(pool->repair());
    require(pool->close());
    open();
    for (std::size_t index = 0; index < model.size(); ++index) check(index);
    for (const SegmentId segment : segments) EXPECT_EQ(pool->scrub(segment).value(), ChunkSet{});
  }

  std::uint64_t seed;
  ScratchDevices devices{5};
  std::unique_ptr<Pool> pool;
  std::vector<SegmentId> segments;
  std::size_t block_count = 0;
  std::vector<Block> model;
};

TEST(PoolLoadTest, ServesManyThreadsWhileADeviceGoesAndComesBack) {
  for (std::uint64_t seed = 0; seed < base::seed_count(4) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Load(seed).run();
  }
}

}  // namespace
}  // namespace parapet::library

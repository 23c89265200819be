// A process that overwrites blocks of a pool is killed again and again. What it had flushed must be there, every block
// old or new, and parity that of the data.
//
// The number of rounds for each scheme is 5 times PARAPET_TEST_SEEDS.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "base/test_seeds.h"
#include "library/block_pattern.h"
#include "library/kill_work.h"
#include "library/pool_testing.h"
#include "os/device_directory.h"
#include "pool/pool.h"

extern char** environ;

namespace parapet::library {
namespace {

constexpr std::size_t segment_count = 3;
constexpr std::uint64_t versions_per_round = std::uint64_t{1} << 32;

/// A started `kill_writer`.
class Victim {
 public:
  Victim(std::uint64_t seed, std::uint64_t first_version, const std::vector<std::string>& directories) {
    std::vector<std::string> words = {PARAPET_KILL_WRITER, std::to_string(seed), std::to_string(first_version),
                                      std::to_string(segment_count)};
    words.insert(words.end(), directories.begin(), directories.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    EXPECT_EQ(posix_spawn(&child_, arguments[0], &actions, nullptr, arguments.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    said_ = ends[0];
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  ~Victim() { ::close(said_); }

  /// Nothing when it said no more.
  std::optional<Acknowledgement> listen() {
    Acknowledgement said{};
    return ::read(said_, &said, sizeof said) == sizeof said ? std::optional(said) : std::nullopt;
  }
  /// True when it was alive until now.
  bool kill() {
    ::kill(child_, SIGKILL);
    int status = 0;
    ::waitpid(child_, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t child_ = 0;
  int said_ = -1;
};

struct KillTest : ::testing::TestWithParam<UpdateScheme> {
  /// The log is so small that it goes round, with all that comes with it.
  static PoolCreateOptions options() {
    PoolCreateOptions options = small_pool();
    options.code = "rs(3,2)";
    options.log_size = 512 << 10;
    options.scheme = GetParam();
    return options;
  }
  KillTest() {
    Pool pool = Pool::open(devices.paths).value();
    for (std::size_t i = 0; i < segment_count; ++i) segments.push_back(pool.allocate().value());
    block_count = pool.segment_size() / pattern_size;
    floor.assign(segment_count, std::vector<std::uint64_t>(block_count, 0));
  }

  /// Lets a victim work until it has said so much, and notes what must be there then.
  void run_victim(std::uint64_t seed, std::uint64_t first_version, std::uint64_t message_count) {
    std::map<std::uint64_t, std::uint64_t> flushed;  // By writer.
    Victim victim(seed, first_version, devices.paths);
    const auto note = [&](const Acknowledgement& said) { flushed[said.writer] = said.version; };
    for (std::uint64_t i = 0; i < message_count; ++i) {
      const auto said = victim.listen();
      if (!said) break;
      note(*said);
    }
    ASSERT_TRUE(victim.kill()) << "it ended by itself";
    while (const auto said = victim.listen()) note(*said);
    flushed.erase(kill_writer_count);
    for (const auto& [writer, version] : flushed) {
      KillWork work(seed, static_cast<unsigned>(writer), segment_count, block_count, first_version);
      for (;;) {
        const KillWork::Write write = work.next();
        if (write.version > version) break;
        floor[write.segment][write.block] = write.version;
        (void)work.flushes();
      }
    }
  }

  /// What is read now must be there in the next round, too.
  void check_blocks(Pool& pool) {
    std::vector<std::uint8_t> bytes(pool.segment_size());
    for (std::size_t i = 0; i < segment_count; ++i) {
      ASSERT_TRUE(pool.read(segments[i], 0, {bytes.data(), bytes.size()}).has_value());
      for (std::uint64_t block = 0; block < block_count; ++block) {
        const auto version = version_of({segments[i], block}, {bytes.data() + block * pattern_size, pattern_size});
        ASSERT_TRUE(version.has_value()) << "segment " << i << " block " << block << " is torn or misplaced";
        ASSERT_GE(*version, floor[i][block]) << "segment " << i << " block " << block;
        floor[i][block] = *version;
      }
    }
  }

  /// Those that the victim made are there as a whole or not at all.
  static void check_others(Pool& pool) {
    const std::vector<SegmentId> all = pool.segments();
    ASSERT_GE(all.size(), segment_count);
    for (const SegmentId segment : std::span(all).subspan(segment_count)) {
      std::vector<std::uint8_t> expected(pool.segment_size());
      std::fill_n(expected.begin(), pattern_size, std::uint8_t{1});
      ASSERT_EQ(read_all(pool, segment), expected);
      ASSERT_TRUE(pool.remove(segment).has_value());
    }
  }

  void check() {
    Pool pool = Pool::open(devices.paths).value();
    const PoolStatus status = pool.status();
    for (const DeviceStatus& device : status.devices) ASSERT_EQ(device.state, DeviceState::in);
    ASSERT_TRUE(status.closed.empty() && status.damaged_logs.empty() && status.unusable.empty());
    check_blocks(pool);
    if (HasFatalFailure()) return;
    check_others(pool);
    for (const SegmentId segment : pool.segments()) ASSERT_EQ(pool.scrub(segment).value(), ChunkSet{});
    ASSERT_TRUE(pool.close().has_value());
  }

  /// Parity is that of the data, on the devices themselves.
  void check_parity() {
    os::RealWorld world;
    std::vector<os::DeviceDirectory> opened;
    std::vector<env::Disk*> disks;
    for (const std::string& path : devices.paths) opened.push_back(os::DeviceDirectory::open(world, path).value());
    for (const os::DeviceDirectory& device : opened) disks.push_back(&device.disk());
    const auto pool = pool::Pool::open(world, disks, {}).value();
    for (const SegmentId segment : segments) {
      const auto outcome = pool->verify({segment.value});
      ASSERT_TRUE(outcome.has_value()) << outcome.error().message();
    }
  }

  ScratchPool devices{5, options()};
  std::vector<SegmentId> segments;
  std::uint64_t block_count = 0;
  std::vector<std::vector<std::uint64_t>> floor;  ///< The least versions that may be read, by segment and block.
};

TEST_P(KillTest, LosesNothingThatWasFlushed) {
  base::Prng random(static_cast<std::uint64_t>(GetParam()));
  const std::uint64_t round_count = base::seed_count(5);
  for (std::uint64_t round = 0; round < round_count && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    // Every fourth one is killed while it opens the pool.
    run_victim(round, round * versions_per_round + 1, random.below(4) == 0 ? 1 : 1 + random.below(50));
    if (HasFatalFailure()) return;
    check();
    if (HasFatalFailure()) return;
    check_parity();
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, KillTest,
                         ::testing::Values(UpdateScheme::full_overwrite, UpdateScheme::full_logging,
                                           UpdateScheme::parity_logging, UpdateScheme::parity_logging_reserved));

}  // namespace
}  // namespace parapet::library

// The process that is killed: kill_writer SEED FIRST_VERSION SEGMENT_COUNT DIRECTORY...
// Overwrites blocks of the pool's first segments, flushes, and writes each acknowledgement to its standard output
// until it is killed. Besides, it makes and removes segments.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "library/block_pattern.h"
#include "library/kill_work.h"

namespace parapet::library {
namespace {

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "kill_writer: %s\n", message.c_str());
  std::_Exit(1);
}

void require(const Result<void>& result) {
  if (!result) fail(result.error().message());
}

void say(const Acknowledgement& said) {
  if (::write(STDOUT_FILENO, &said, sizeof said) != sizeof said) fail("nobody listens");
}

void overwrite(Pool& pool, const std::vector<SegmentId>& segments, KillWork work, unsigned writer) {
  std::vector<std::uint8_t> bytes(pattern_size);
  for (;;) {
    const KillWork::Write write = work.next();
    const BlockName name{segments[write.segment], write.block};
    write_pattern(name, write.version, bytes);
    require(pool.write(name.segment, name.block * pattern_size, {bytes.data(), bytes.size()}));
    if (!work.flushes()) continue;
    require(pool.flush());
    say({writer, write.version});
  }
}

void come_and_go(Pool& pool) {
  const std::vector<std::uint8_t> bytes(pattern_size, 1);
  for (;;) {
    const auto segment = pool.write_segment({bytes.data(), bytes.size()});
    if (segment)
      require(pool.remove(*segment));
    else if (segment.error().code != ErrorCode::no_space)  // What was removed is free only after a while.
      fail(segment.error().message());
  }
}

void run(std::uint64_t seed, std::uint64_t first_version, std::size_t segment_count,
         const std::vector<std::string>& directories) {
  say({kill_writer_count, 0});
  auto opened = Pool::open(directories);
  if (!opened) fail(opened.error().message());
  Pool& pool = *opened;
  std::vector<SegmentId> segments = pool.segments();
  segments.resize(segment_count);
  const std::uint64_t block_count = pool.segment_size() / pattern_size;
  std::vector<std::thread> threads;
  for (unsigned writer = 0; writer < kill_writer_count; ++writer) {
    const KillWork work(seed, writer, segment_count, block_count, first_version);
    threads.emplace_back([&pool, &segments, work, writer] { overwrite(pool, segments, work, writer); });
  }
  threads.emplace_back([&pool] { come_and_go(pool); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace parapet::library

int main(int count, char** arguments) {
  if (count < 5) return 2;
  parapet::library::run(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10),
                        std::strtoull(arguments[3], nullptr, 10), {arguments + 4, arguments + count});
}

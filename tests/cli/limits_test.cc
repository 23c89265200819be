// What the machine can refuse: memory, space, time, a terminal.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>

#include "shard/scratch_directory.h"
#include "tests/cli/program.h"

#if defined(__SANITIZE_ADDRESS__)
#define PARAPET_UNDER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PARAPET_UNDER_ASAN 1
#endif
#endif

namespace parapet::cli_test {
namespace {

using shard::names_in;
using shard::random_text;
using shard::ScratchDirectory;
using shard::write_file;

namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr rlim_t mebibyte = 1 << 20;

void limit(__rlimit_resource resource, rlim_t bytes) {
  const rlimit limits{bytes, bytes};
  ::setrlimit(resource, &limits);
}

/// A file of zeros that takes no space.
void make_sparse_file(const std::string& path, std::uint64_t size) {
  write_file(path, "");
  fs::resize_file(path, size);
}

TEST(Limits, MemoryDoesNotGrowWithTheFile) {
#ifdef PARAPET_UNDER_ASAN
  GTEST_SKIP() << "the address sanitizer needs more address space than the limit";
#endif
  const ScratchDirectory scratch;
  make_sparse_file(scratch / "file", 400 * mebibyte);
  const auto small = [] { limit(RLIMIT_AS, 250 * mebibyte); };
  const Outcome encoded = run({"encode", scratch / "file", "--code", "xrs(8,2)", "--out", scratch / "set"}, small);
  ASSERT_EQ(encoded.status, 0) << encoded.err;
  fs::remove(scratch / "set/shard-003.parapet");
  const Outcome repaired = run({"repair", scratch / "set"}, small);
  ASSERT_EQ(repaired.status, 0) << repaired.err;
  const Outcome decoded = run({"decode", scratch / "set", "--out", scratch / "out"}, small);
  ASSERT_EQ(decoded.status, 0) << decoded.err;
  EXPECT_EQ(fs::file_size(scratch / "out"), 400 * mebibyte);
}

TEST(Limits, FileSizeLimitIsAnErrorThatLeavesNothing) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", random_text(mebibyte));
  ASSERT_EQ(run({"encode", scratch / "file", "--out", scratch / "set"}).status, 0);
  fs::remove(scratch / "set/shard-000.parapet");
  const Names shards = names_in(scratch / "set");
  const auto small = [] { limit(RLIMIT_FSIZE, 100'000); };
  for (const Arguments& arguments :
       {Arguments{"encode", scratch / "file", "--out", scratch / "other"},
        Arguments{"decode", scratch / "set", "--out", scratch / "out"}, Arguments{"repair", scratch / "set"}}) {
    const Outcome outcome = run(arguments, small);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
    EXPECT_NE(outcome.err.find("File too large"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(names_in(scratch.path()), (Names{"file", "set"}));
  EXPECT_EQ(names_in(scratch / "set"), shards);
}

/// A file system of one mebibyte, where this process may mount one.
class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(scratch_ / "disk");
    mounted_ = ::mount("tmpfs", (scratch_ / "disk").c_str(), "tmpfs", 0, "size=1m") == 0;
    if (!mounted_) GTEST_SKIP() << "cannot mount a small tmpfs: " << std::strerror(errno);
  }
  void TearDown() override {
    if (mounted_) ::umount((scratch_ / "disk").c_str());
  }
  ScratchDirectory scratch_;
  bool mounted_ = false;
};

TEST_F(SmallDisk, WhenFullIsAnErrorThatLeavesNothing) {
  write_file(scratch_ / "file", random_text(2 * mebibyte));
  ASSERT_EQ(run({"encode", scratch_ / "file", "--out", scratch_ / "set"}).status, 0);
  for (const Arguments& arguments : {Arguments{"encode", scratch_ / "file", "--out", scratch_ / "disk/set"},
                                     Arguments{"decode", scratch_ / "set", "--out", scratch_ / "disk/out"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
    EXPECT_NE(outcome.err.find("No space left"), std::string::npos) << outcome.err;
    EXPECT_EQ(names_in(scratch_ / "disk"), Names{});
  }
}

/// Waits until a file or directory appears in a directory that was empty of it.
class Watch {
 public:
  explicit Watch(const std::string& directory) : descriptor_(::inotify_init1(IN_CLOEXEC)) {
    ::inotify_add_watch(descriptor_, directory.c_str(), IN_CREATE);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { ::close(descriptor_); }
  void wait() const {
    alignas(inotify_event) std::array<char, 4096> event;
    EXPECT_GT(::read(descriptor_, event.data(), event.size()), 0);
  }

 private:
  int descriptor_;
};

TEST(Signals, StopARunThatLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const ScratchDirectory scratch;
    make_sparse_file(scratch / "file", 32768 * mebibyte);  // Far more than can be done before the signal.
    const Watch watch(scratch.path());
    Program program({"encode", scratch / "file", "--out", scratch / "set"});
    watch.wait();
    ::kill(program.pid(), signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.has_one_error_line()) << outcome.err;
    EXPECT_NE(outcome.err.find("interrupted"), std::string::npos) << outcome.err;
    EXPECT_EQ(names_in(scratch.path()), Names{"file"});
  }
}

TEST(ProgressBar, AppearsOnATerminalAndIsErased) {
  const ScratchDirectory scratch;
  make_sparse_file(scratch / "file", 32768 * mebibyte);
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) become({"encode", scratch / "file", "--code", "rs(8,1)", "--out", scratch / "set"});
  std::string shown;
  bool interrupted = false;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = ::read(terminal, bytes.data(), bytes.size())) > 0;) {
    shown.append(bytes.data(), static_cast<std::size_t>(count));
    // Once the bar is there, control-C.
    if (!interrupted && shown.find("left") != std::string::npos) interrupted = ::write(terminal, "\x03", 1) == 1;
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  for (const char* part : {"encode", "%", "of 32.0 GiB", "/s", "left"})
    EXPECT_NE(shown.find(part), std::string::npos) << part << " in " << shown;
  const std::size_t erased = shown.rfind("\r\033[K");
  ASSERT_NE(erased, std::string::npos);
  EXPECT_EQ(shown.substr(erased + 4).rfind("parapet: ", 0), 0u) << shown.substr(erased);
  EXPECT_EQ(names_in(scratch.path()), Names{"file"});
}

TEST(ProgressBar, StaysAwayFromQuickRuns) {
  const ScratchDirectory scratch;
  write_file(scratch / "file", "content");
  int terminal = -1;
  const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(pid, 0);
  if (pid == 0) become({"encode", scratch / "file", "--out", scratch / "set"});
  std::string shown;
  std::array<char, 4096> bytes;
  for (ssize_t count; (count = ::read(terminal, bytes.data(), bytes.size())) > 0;)
    shown.append(bytes.data(), static_cast<std::size_t>(count));
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(terminal);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(shown.find('%'), std::string::npos) << shown;
}

}  // namespace
}  // namespace parapet::cli_test

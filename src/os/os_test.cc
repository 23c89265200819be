// The conformance suites over every way in which the real world moves bytes.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "env/disk_conformance.h"
#include "env/world_conformance.h"
#include "os/file_disk.h"
#include "os/real_world.h"
#include "os/scratch_directory.h"

namespace parapet::env {
namespace {

using os::IoEngine;

class FileHarness {
 public:
  FileHarness(IoEngine engine, const std::string& mode, bool direct = true,
              const std::string& parent = std::filesystem::current_path())
      : world_(engine), mode_(mode), direct_(direct), directory_(parent) {}

  /// Where the wanted mode is not to be had, something else would be tested.
  std::string skip_reason() {
    const std::string mode = open("probe", io_alignment)->mode();
    return mode.starts_with(mode_) ? "" : "the mode of files in " + directory_.path() + " is: " + mode;
  }
  World& world() { return world_; }
  std::unique_ptr<Disk> make_disk(std::uint64_t size) { return open("disk" + std::to_string(disk_count_++), size); }
  void run(const std::function<void()>& body) { body(); }

 private:
  std::unique_ptr<os::FileDisk> open(const std::string& name, std::uint64_t size) {
    const std::string path = directory_ / name;
    os::make_file(path, size);
    if (direct_) return os::open_disk(world_, path).value();
    auto file = std::make_shared<os::DiskFile>();
    file->descriptor = os::Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    file->size = size;
    return std::make_unique<os::FileDisk>(world_, path, file);
  }

  os::RealWorld world_;
  std::string mode_;
  bool direct_;
  os::ScratchDirectory directory_;
  int disk_count_ = 0;
};

struct RingHarness : FileHarness {
  RingHarness() : FileHarness(IoEngine::ring, "io_uring") {}
};
struct RingThroughCacheHarness : FileHarness {
  RingThroughCacheHarness() : FileHarness(IoEngine::ring, "io_uring, through the page cache", false) {}
};
struct WorkersHarness : FileHarness {
  WorkersHarness() : FileHarness(IoEngine::workers, "worker threads") {}
};
struct WorkersThroughCacheHarness : FileHarness {
  WorkersThroughCacheHarness() : FileHarness(IoEngine::workers, "worker threads, through the page cache", false) {}
};
std::string memory_or_here() {
  return os::is_tmpfs(os::memory_directory) ? os::memory_directory : std::filesystem::current_path().string();
}
struct MemoryHarness : FileHarness {
  MemoryHarness() : FileHarness(IoEngine::ring, "in memory", true, memory_or_here()) {}
};

class RealWorldHarness {
 public:
  std::string skip_reason() { return ""; }
  World& world() { return world_; }
  void run(const std::function<void()>& body) { body(); }

 private:
  os::RealWorld world_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Ring, DiskConformance, RingHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(RingThroughCache, DiskConformance, RingThroughCacheHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(Workers, DiskConformance, WorkersHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(WorkersThroughCache, DiskConformance, WorkersThroughCacheHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, DiskConformance, MemoryHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(Real, WorldConformance, RealWorldHarness);

}  // namespace
}  // namespace parapet::env

// What the machine gives to programs that only move bytes: the yardsticks of the pool benchmark.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/pool_bed.h"
#include "bench/pool_timing.h"

namespace parapet::bench {

/// One operation is `width` accesses of `size` bytes at once, each to another file, at chance offsets or one after the
/// other; it is over when all of them are. `after_read`: they begin when a read of `size` bytes has ended.
struct Load {
  enum class Kind : std::uint8_t { read, write, write_durable };
  Kind kind = Kind::write;
  bool sequential = false;
  std::size_t size = 4096;
  unsigned width = 1;
  unsigned depth = 1;  ///< Operations under way at once.
  bool after_read = false;
};

/// Files that were written once, so that writing costs no allocation any more.
class ReferenceFiles {
 public:
  /// Makes `count` files in a new directory below `parent`. `world` outlives it.
  static Result<std::unique_ptr<ReferenceFiles>, Failure> make(os::RealWorld& world, const std::string& parent,
                                                               unsigned count, std::uint64_t file_size);

  /// One thread for each operation under way, through the engine's own door to the disk (env::IoBatch).
  Result<Timing, Failure> run_threads(const Load& load, double seconds);
  /// One thread and one io_uring for all of them. Errors: also where the kernel refuses a ring.
  Result<Timing, Failure> run_ring(const Load& load, double seconds);

  [[nodiscard]] unsigned count() const { return static_cast<unsigned>(disks_.size()); }
  [[nodiscard]] std::uint64_t file_size() const { return file_size_; }
  [[nodiscard]] const std::string& path(unsigned file) const { return disks_[file]->name(); }

 private:
  ReferenceFiles(os::RealWorld& world, BenchDirectory directory, std::uint64_t file_size)
      : world_(world), directory_(std::move(directory)), file_size_(file_size) {}
  Result<void, Failure> write_all(env::Disk& disk);
  Result<void, Failure> flush_all();

  os::RealWorld& world_;
  BenchDirectory directory_;
  std::uint64_t file_size_;
  std::vector<std::unique_ptr<os::FileDisk>> disks_;
};

}  // namespace parapet::bench

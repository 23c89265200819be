// A pool on device directories of its own, made for a benchmark and removed after it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/pool_disk.h"
#include "bench/workbench.h"
#include "os/device_directory.h"
#include "pool/pool.h"

namespace parapet::bench {

/// The value, or the error's text after what was being done.
template <class T>
Result<T, Failure> or_failure(Result<T> result, const std::string& what) {
  if (!result) return what + ": " + result.error().message();
  return std::move(result).value();
}
inline Result<void, Failure> or_failure(const Result<void>& result, const std::string& what) {
  if (!result) return what + ": " + result.error().message();
  return {};
}

/// A new directory below `parent` with a name that nobody has, removed with all that is in it in the end.
class BenchDirectory {
 public:
  static Result<BenchDirectory, Failure> make(const std::string& parent);
  BenchDirectory(BenchDirectory&& other) noexcept;
  BenchDirectory& operator=(BenchDirectory&&) = delete;
  ~BenchDirectory();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit BenchDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

struct BedOptions {
  unsigned device_count = 6;
  std::uint64_t device_size = 0;
  pool::CreateOptions create;
};

/// The devices, and the pool while it is open.
class PoolBed {
 public:
  /// Makes devices and pool in a new directory below `parent`, and opens the pool. `world` outlives it.
  static Result<std::unique_ptr<PoolBed>, Failure> make(os::RealWorld& world, const std::string& parent,
                                                        const BedOptions& options);
  PoolBed(const PoolBed&) = delete;
  PoolBed& operator=(const PoolBed&) = delete;

  /// Closes the pool, if it is open, and opens it.
  Result<void, Failure> open(const pool::OpenOptions& options);
  void close() { pool_.reset(); }

  [[nodiscard]] pool::Pool& pool() { return *pool_; }
  [[nodiscard]] const BedOptions& options() const { return options_; }
  [[nodiscard]] std::vector<Written> written() const;
  /// E.g. "io_uring, direct".
  [[nodiscard]] std::string mode() const { return devices_.front().disk().mode(); }

 private:
  PoolBed(os::RealWorld& world, BenchDirectory directory, BedOptions options)
      : world_(world), directory_(std::move(directory)), options_(std::move(options)) {}
  Result<void, Failure> make_devices();
  Result<void, Failure> find_logs();

  os::RealWorld& world_;
  BenchDirectory directory_;
  BedOptions options_;
  std::vector<os::DeviceDirectory> devices_;
  std::vector<std::unique_ptr<CountedDisk>> disks_;
  std::vector<env::Disk*> disk_pointers_;
  std::unique_ptr<pool::Pool> pool_;
};

}  // namespace parapet::bench

#include "bench/pool_bed.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/try.h"
#include "store/store.h"

namespace parapet::bench {

Result<BenchDirectory, Failure> BenchDirectory::make(const std::string& parent) {
  std::string path = parent + "/parapet-bench-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr)
    return fmt::format("cannot make a directory below {}: {}", parent, std::strerror(errno));
  return BenchDirectory(std::move(path));
}

BenchDirectory::BenchDirectory(BenchDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}

BenchDirectory::~BenchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::unique_ptr<PoolBed>, Failure> PoolBed::make(os::RealWorld& world, const std::string& parent,
                                                        const BedOptions& options) {
  PARAPET_TRY(BenchDirectory directory, BenchDirectory::make(parent));
  std::unique_ptr<PoolBed> bed(new PoolBed(world, std::move(directory), options));
  PARAPET_CHECK(bed->make_devices());
  PARAPET_CHECK(or_failure(pool::Pool::create(world, bed->disk_pointers_, options.create), "creating a pool"));
  PARAPET_CHECK(bed->find_logs());
  PARAPET_CHECK(bed->open({}));
  return bed;
}

Result<void, Failure> PoolBed::make_devices() {
  for (unsigned i = 0; i < options_.device_count; ++i) {
    const std::string path = directory_ / fmt::format("device-{}", i);
    PARAPET_CHECK(or_failure(os::DeviceDirectory::create(path, options_.device_size), "making " + path));
    PARAPET_TRY(os::DeviceDirectory device, or_failure(os::DeviceDirectory::open(world_, path), "opening " + path));
    devices_.push_back(std::move(device));
    disks_.push_back(std::make_unique<CountedDisk>(devices_.back().disk()));
    disk_pointers_.push_back(disks_.back().get());
  }
  return {};
}

Result<void, Failure> PoolBed::find_logs() {
  for (const auto& disk : disks_) {
    PARAPET_TRY(const auto superblock, or_failure(store::Store::identify(world_, *disk), "reading a superblock"));
    disk->set_log(superblock.geometry.log_offset, superblock.geometry.log_size);
  }
  return {};
}

Result<void, Failure> PoolBed::open(const pool::OpenOptions& options) {
  close();
  PARAPET_TRY(pool_, or_failure(pool::Pool::open(world_, disk_pointers_, options), "opening the pool"));
  return {};
}

std::vector<Written> PoolBed::written() const {
  std::vector<Written> written;
  for (const auto& disk : disks_) written.push_back(disk->written());
  return written;
}

}  // namespace parapet::bench

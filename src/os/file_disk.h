// Files and block devices as disks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "env/disk.h"
#include "os/real_world.h"
#include "parapet/result.h"

namespace parapet::os {

/// Any number of threads may use it. Operations that were given up may still happen after it is destroyed: they keep
/// the file open.
class FileDisk final : public env::Disk {
 public:
  FileDisk(const RealWorld& world, std::string name, std::shared_ptr<const DiskFile> file)
      : world_(world), name_(std::move(name)), file_(std::move(file)) {}

  [[nodiscard]] std::uint64_t size() const override { return file_->size; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  void start(const std::shared_ptr<env::IoSet>& set, std::size_t index) override;

  /// How its bytes are moved, for status texts: e.g. "io_uring, direct".
  [[nodiscard]] std::string mode() const;

 private:
  const RealWorld& world_;
  std::string name_;
  std::shared_ptr<const DiskFile> file_;
};

/// A regular file or block device as a disk of `world`, which outlives it; its size is rounded down to whole blocks.
/// Errors: see `open_disk_file`.
Result<std::unique_ptr<FileDisk>> open_disk(const RealWorld& world, const std::string& path);

}  // namespace parapet::os

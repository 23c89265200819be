// A directory that holds one device of a pool: the file `device`, or a symbolic link of that name to a block device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/descriptor.h"
#include "os/file_disk.h"
#include "os/real_world.h"
#include "parapet/result.h"

namespace parapet::os {

/// An open device, locked against other processes until it is destroyed. Errors do not name the path.
class DeviceDirectory {
 public:
  /// Makes the directory, unless an empty one is there, and in it the file with `size` bytes of zeros (a multiple of
  /// `env::io_alignment`), with space allocated for all of them. All is durable on return. A directory that holds
  /// nothing but a symbolic link `device` to a block device of that size or more is left as it is. Errors:
  /// `invalid_argument`; `already_exists` when the directory holds anything else; `no_space`; `not_found` when its
  /// parent is missing; `io_failed`. After an error nothing new is left.
  static Result<void> create(const std::string& path, std::uint64_t size);

  /// Errors: `not_found` when the directory or its device is missing; `io_failed` with EWOULDBLOCK when another process
  /// has it open; those of `open_disk`. `world` outlives the result.
  static Result<DeviceDirectory> open(const RealWorld& world, const std::string& path);

  [[nodiscard]] FileDisk& disk() const { return *disk_; }

 private:
  DeviceDirectory(Descriptor lock, std::unique_ptr<FileDisk> disk) : lock_(std::move(lock)), disk_(std::move(disk)) {}

  Descriptor lock_;  ///< Of the directory. (A raw device's own node is locked by udev for moments.)
  std::unique_ptr<FileDisk> disk_;
};

/// Names the file system or block device that a device directory's bytes lie on: devices with the same one would be
/// lost together. A directory without a device counts itself, one that is not there yet its parent. Errors: those of
/// stat.
Result<std::uint64_t> place_of(const std::string& path);

}  // namespace parapet::os

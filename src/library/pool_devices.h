// The devices of one pool: found in their directories, locked, told apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "layout/superblock.h"
#include "os/device_directory.h"
#include "parapet/pool.h"

namespace parapet::library {

struct PoolDevices {
  struct Member {
    std::string directory;
    os::DeviceDirectory device;
    layout::Superblock superblock;
  };
  std::vector<Member> members;           ///< Of one pool, each device once, and more than half of them.
  std::vector<UnusableDevice> unusable;  ///< Broken ones that were given too.

  /// Changes nothing. Errors: those of `Pool::open`. `world` outlives the result.
  static Result<PoolDevices, PoolError> open(os::RealWorld& world, std::span<const std::string> directories);
};

}  // namespace parapet::library

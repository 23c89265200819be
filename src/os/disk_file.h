// An open file or block device that serves as a disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "os/descriptor.h"
#include "parapet/result.h"

namespace parapet::os {

struct DiskFile {
  Descriptor descriptor;
  std::uint64_t size = 0;  ///< Bytes; a multiple of `env::io_alignment`.
  bool direct = false;     ///< Bypasses the page cache.
  bool in_memory = false;  ///< On tmpfs: nothing is gained by waiting for it.
};

/// Opens a regular file or a block device for reading and writing: directly where that is possible, through the page
/// cache where it is refused (noted once). A block device is taken exclusively: one that is mounted is refused. Errors:
/// `not_found`; `invalid_argument` for other kinds of files; `unsupported` for logical blocks above
/// `env::io_alignment`; `io_failed`.
Result<std::shared_ptr<const DiskFile>> open_disk_file(const std::string& path);

}  // namespace parapet::os

#include "library/new_devices.h"

#include <filesystem>
#include <system_error>

#include "library/directories.h"
#include "os/device_directory.h"

namespace parapet::library {

namespace fs = std::filesystem;

NewDevices::~NewDevices() {
  std::error_code ignored;
  for (const Made& made : made_) {
    if (made.device) fs::remove(fs::path(made.path) / "device", ignored);
    if (made.directory) fs::remove(made.path, ignored);
  }
}

Result<void, PoolError> NewDevices::make(std::span<const std::string> directories, std::uint64_t size) {
  for (const std::string& directory : directories) {
    std::error_code ignored;
    const Made made{directory, !fs::exists(directory, ignored),
                    !fs::is_symlink(fs::path(directory) / "device", ignored)};
    if (const auto result = os::DeviceDirectory::create(directory, size); !result)
      return about(directory, result.error());
    made_.push_back(made);
  }
  return {};
}

}  // namespace parapet::library

// For tests: a directory of their own.
#pragma once

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/assert.h"

namespace parapet::os {

/// Made when it is, in `parent`, and removed with all that is in it.
class ScratchDirectory {
 public:
  explicit ScratchDirectory(const std::string& parent = std::filesystem::current_path())
      : path_(parent + "/os-test-XXXXXX") {
    PARAPET_ASSERT(::mkdtemp(path_.data()) != nullptr);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ + "/" + std::string(name); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// A file of `size` zeros.
inline void make_file(const std::string& path, std::uint64_t size) {
  const int fd = ::creat(path.c_str(), 0600);
  PARAPET_ASSERT(fd >= 0 && ::ftruncate(fd, static_cast<off_t>(size)) == 0);
  ::close(fd);
}

/// Memory as a file system, where there is one.
inline constexpr const char* memory_directory = "/dev/shm";
inline bool is_tmpfs(const std::string& path) {
  struct statfs file_system {};
  return ::statfs(path.c_str(), &file_system) == 0 && file_system.f_type == TMPFS_MAGIC;
}

}  // namespace parapet::os

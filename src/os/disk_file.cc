#include "os/disk_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>

#include "base/try.h"
#include "env/io_buffer.h"
#include "os/note_once.h"
#include "os/os_error.h"

namespace parapet::os {
namespace {

constexpr const char* operation = "open disk";

Result<std::uint64_t> block_device_size(int fd) {
  int block_size = 0;
  std::uint64_t size = 0;
  if (::ioctl(fd, BLKSSZGET, &block_size) < 0 || ::ioctl(fd, BLKGETSIZE64, &size) < 0)
    return os_error(operation, errno);
  if (const auto bytes = static_cast<std::uint64_t>(block_size); bytes > env::io_alignment) {
    return Error{.code = ErrorCode::unsupported,
                 .operation = operation,
                 .reason = "its logical blocks have {} bytes; at most {} are supported",
                 .values = {bytes, env::io_alignment}};
  }
  return size;
}

bool is_on_tmpfs(int fd) {
  struct statfs file_system {};
  return ::fstatfs(fd, &file_system) == 0 && file_system.f_type == TMPFS_MAGIC;
}

/// Some file systems refuse direct I/O when it is asked for, others at the first read.
bool make_direct(int fd) {
  if (::fcntl(fd, F_SETFL, O_DIRECT) == 0) {
    const env::IoBuffer block(env::io_alignment);
    if (::pread(fd, block.data(), block.size(), 0) >= 0 || errno != EINVAL) return true;
    ::fcntl(fd, F_SETFL, 0);
  }
  note_once("the file system of a disk refuses direct I/O; that disk is read and written through the page cache");
  return false;
}

}  // namespace

Result<std::shared_ptr<const DiskFile>> open_disk_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) < 0) return os_error(operation, errno);
  const bool is_block_device = S_ISBLK(status.st_mode);
  if (!is_block_device && !S_ISREG(status.st_mode)) {
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = operation,
                 .reason = "it is neither a file nor a block device"};
  }
  const int exclusive = is_block_device ? O_EXCL : 0;
  auto file = std::make_shared<DiskFile>();
  file->descriptor = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | exclusive));
  const int fd = file->descriptor.fd();
  if (fd < 0 || ::fstat(fd, &status) < 0) return os_error(operation, errno);

  std::uint64_t size = static_cast<std::uint64_t>(status.st_size);
  if (is_block_device) {
    PARAPET_TRY(size, block_device_size(fd));
  }
  file->size = size - size % env::io_alignment;
  file->in_memory = !is_block_device && is_on_tmpfs(fd);
  file->direct = !file->in_memory && make_direct(fd);
  return std::shared_ptr<const DiskFile>(std::move(file));
}

}  // namespace parapet::os

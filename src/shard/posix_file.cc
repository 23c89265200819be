#include "shard/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/try.h"

namespace parapet::shard {
namespace {

constexpr std::size_t parts_max = 1024;  // Linux: IOV_MAX.

/// Drops the first `count` bytes of `parts`.
std::span<iovec> drop_front(std::span<iovec> parts, std::size_t count) {
  while (!parts.empty() && count >= parts.front().iov_len) {
    count -= parts.front().iov_len;
    parts = parts.subspan(1);
  }
  if (!parts.empty()) {
    parts.front().iov_base = static_cast<std::uint8_t*>(parts.front().iov_base) + count;
    parts.front().iov_len -= count;
  }
  return parts;
}

/// Calls `transfer(parts, offset)` (preadv or pwritev) until all is done.
template <class Transfer>
FileResult<void> transfer_all(const PosixFile& file, const char* operation, std::uint64_t offset,
                              std::span<iovec> parts, Transfer transfer) {
  for (parts = drop_front(parts, 0); !parts.empty();) {
    const auto count = static_cast<int>(std::min(parts.size(), parts_max));
    const ssize_t done = transfer(file.descriptor(), parts.data(), count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return os_error(operation, file.path(), errno);
    if (done == 0)
      return FileError{
          {.code = ErrorCode::corrupt, .operation = operation, .reason = "it ends at byte {}", .values = {offset}},
          file.path(),
          {}};
    offset += static_cast<std::size_t>(done);
    parts = drop_front(parts, static_cast<std::size_t>(done));
  }
  return {};
}

}  // namespace

PosixFile::PosixFile(PosixFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

PosixFile& PosixFile::operator=(PosixFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileResult<PosixFile> PosixFile::open(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return os_error("open", path, errno);
  PosixFile file(descriptor, path);
  struct stat status;
  if (::fstat(descriptor, &status) != 0) return os_error("open", path, errno);
  if (S_ISDIR(status.st_mode)) return os_error("open", path, EISDIR);
  if (!S_ISREG(status.st_mode)) return FileError{{.operation = "open", .reason = "it is not a regular file"}, path, {}};
  return file;
}

FileResult<PosixFile> PosixFile::create(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return os_error("create", path, errno);
  return PosixFile(descriptor, path);
}

FileResult<std::uint64_t> PosixFile::size() const {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) return os_error("stat", path_, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

FileResult<void> PosixFile::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  iovec part{bytes.data(), bytes.size()};
  return read(offset, std::span(&part, 1));
}

FileResult<void> PosixFile::write(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  return write(offset, std::span(&part, 1));
}

FileResult<void> PosixFile::read(std::uint64_t offset, std::span<iovec> parts) const {
  return transfer_all(*this, "read", offset, parts, ::preadv);
}

FileResult<void> PosixFile::write(std::uint64_t offset, std::span<iovec> parts) const {
  return transfer_all(*this, "write", offset, parts, ::pwritev);
}

FileResult<void> PosixFile::resize(std::uint64_t size) const {
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) return os_error("resize", path_, errno);
  return {};
}

FileResult<void> PosixFile::sync() const {
  if (::fsync(descriptor_) != 0) return os_error("sync", path_, errno);
  return {};
}

FileResult<void> sync_directory(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return os_error("open", path, errno);
  const int failed = ::fsync(descriptor) != 0 ? errno : 0;
  ::close(descriptor);
  if (failed != 0 && failed != EINVAL) return os_error("sync", path, failed);  // EINVAL: it cannot be synced.
  return {};
}

}  // namespace parapet::shard

#include "os/device_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/try.h"
#include "env/io_buffer.h"
#include "os/os_error.h"

namespace parapet::os {
namespace {

constexpr const char* create_operation = "create device directory";
constexpr const char* open_operation = "open device directory";

std::string device_in(const std::string& directory) { return directory + "/device"; }

Error create_error(ErrorCode code, const char* reason) {
  return {.code = code, .operation = create_operation, .reason = reason};
}

/// False with errno.
bool sync_directory(const std::string& path) {
  const Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.is_open() && ::fsync(directory.fd()) == 0;
}

/// What a file system puts into its root by itself does not count.
Result<std::set<std::string>> names_in(const std::string& directory) {
  std::set<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error))
    names.insert(entry->path().filename());
  if (error) return os_error(create_operation, error.value());
  names.erase("lost+found");
  return names;
}

bool is_link_to_block_device(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_symlink(path, ignored) && std::filesystem::is_block_file(path, ignored);
}

Result<void> check_block_device(const std::string& path, std::uint64_t size) {
  PARAPET_TRY(const auto file, open_disk_file(path));
  if (file->size >= size) return {};
  return Error{.code = ErrorCode::no_space,
               .operation = create_operation,
               .reason = "the block device has {} bytes, fewer than the {} that are asked for",
               .values = {file->size, size}};
}

Result<void> make_device(const std::string& directory, std::uint64_t size) {
  const std::string path = device_in(directory);
  const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return os_error(create_operation, errno);
  int failure = 0;
  do {
    failure = ::posix_fallocate(file.fd(), 0, static_cast<off_t>(size));
  } while (failure == EINTR);
  if (failure == 0 && (::fsync(file.fd()) < 0 || !sync_directory(directory))) failure = errno;
  if (failure == 0) return {};
  ::unlink(path.c_str());
  return os_error(create_operation, failure);
}

Result<void> make_device_in_new(const std::string& directory, std::uint64_t size) {
  Result<void> result = make_device(directory, size);
  if (result && !sync_directory(directory + "/..")) {
    result = os_error(create_operation, errno);
    ::unlink(device_in(directory).c_str());
  }
  if (!result) ::rmdir(directory.c_str());
  return result;
}

Result<void> make_device_in_existing(const std::string& path, std::uint64_t size) {
  PARAPET_TRY(const auto names, names_in(path));
  if (names.empty()) return make_device(path, size);
  if (!names.contains("device")) return create_error(ErrorCode::already_exists, "the directory is not empty");
  if (names.size() == 1 && is_link_to_block_device(device_in(path))) return check_block_device(device_in(path), size);
  return create_error(ErrorCode::already_exists, "the directory holds a device already");
}

Result<Descriptor> lock_directory(const std::string& path) {
  Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return os_error(open_operation, errno);
  if (::flock(directory.fd(), LOCK_EX | LOCK_NB) == 0) return directory;
  Error error = os_error(open_operation, errno);
  if (errno == EWOULDBLOCK) error.reason = "another process has the pool open";
  return error;
}

}  // namespace

Result<void> DeviceDirectory::create(const std::string& path, std::uint64_t size) {
  if (size == 0 || size % env::io_alignment != 0) {
    return create_error(ErrorCode::invalid_argument, "the size must be a positive multiple of 4096 bytes");
  }
  if (::mkdir(path.c_str(), 0700) == 0) return make_device_in_new(path, size);
  if (errno == EEXIST) return make_device_in_existing(path, size);
  return os_error(create_operation, errno);
}

Result<DeviceDirectory> DeviceDirectory::open(const RealWorld& world, const std::string& path) {
  PARAPET_TRY(Descriptor lock, lock_directory(path));
  auto disk = open_disk(world, device_in(path));
  if (disk) return DeviceDirectory(std::move(lock), std::move(disk).value());
  Error error = disk.error();
  if (error.code == ErrorCode::not_found) error.reason = "the directory holds no file `device`";
  return error;
}

Result<std::uint64_t> place_of(const std::string& path) {
  struct stat status {};
  const std::string trimmed = path.substr(0, path.find_last_not_of('/') + 1);
  const std::string parent = std::filesystem::path(trimmed).parent_path();
  int answer = ::stat(device_in(path).c_str(), &status);
  if (answer < 0) answer = ::stat(path.c_str(), &status);
  if (answer < 0 && errno == ENOENT) answer = ::stat(parent.empty() ? "." : parent.c_str(), &status);
  if (answer < 0) return os_error("look at device directory", errno);
  return std::uint64_t{S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev};
}

}  // namespace parapet::os

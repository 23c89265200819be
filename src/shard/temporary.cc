#include "shard/temporary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/try.h"

namespace parapet::shard {
namespace {

namespace fs = std::filesystem;

/// A hidden name beside `target` that nothing has yet, as far as chance goes.
std::string temporary_path(const std::string& target) {
  constexpr std::size_t name_size_max = 200;  // Leaves room for the suffix: names have at most 255 bytes.
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != sizeof random) random = static_cast<std::uint64_t>(::getpid());
  const fs::path path(target);
  const std::string name = path.filename().string().substr(0, name_size_max);
  return (path.parent_path() / fmt::format(".{}.parapet-{:016x}", name, random)).string();
}

int rename_with(const std::string& from, const std::string& to, unsigned flags) {
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0 ? 0 : errno;
}

/// Renames without replacing. File systems that cannot do this in one step get a check and a rename.
int rename_new(const std::string& from, const std::string& to) {
  const int failed = rename_with(from, to, RENAME_NOREPLACE);
  if (failed != EINVAL) return failed;
  struct stat status;
  return ::lstat(to.c_str(), &status) == 0 ? EEXIST : rename_with(from, to, 0);
}

void remove_tree(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

}  // namespace

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

FileResult<TemporaryFile> TemporaryFile::create(const std::string& target) {
  auto file = PosixFile::create(temporary_path(target));
  // The reader knows the target, not the temporary name.
  if (!file) return os_error("create", target, file.error().error.os_errno);
  return TemporaryFile(std::move(*file));
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : file_(std::move(other.file_)), owned_(std::exchange(other.owned_, false)) {}

TemporaryFile::~TemporaryFile() {
  if (owned_) ::unlink(file_.path().c_str());
}

FileResult<void> TemporaryFile::commit(const std::string& target, Replace replace) {
  const int failed = replace == Replace::yes ? rename_with(file_.path(), target, 0) : rename_new(file_.path(), target);
  if (failed != 0) return os_error("create", target, failed);
  owned_ = false;
  return {};
}

FileResult<TemporaryDirectory> TemporaryDirectory::create(const std::string& target) {
  std::string path = temporary_path(target);
  if (::mkdir(path.c_str(), 0777) != 0) return os_error("create", target, errno);
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::move(other.path_)), owned_(std::exchange(other.owned_, false)) {}

TemporaryDirectory::~TemporaryDirectory() {
  if (owned_) remove_tree(path_);
}

FileResult<void> TemporaryDirectory::commit(const std::string& target, Replace replace) {
  PARAPET_CHECK(sync_directory(path_));
  int failed = rename_with(path_, target, 0);  // Replaces an empty directory, as rename(2) does.
  const bool exchanges = (failed == ENOTEMPTY || failed == EEXIST) && replace == Replace::yes;
  if (exchanges) failed = rename_with(path_, target, RENAME_EXCHANGE);
  if (failed != 0) return os_error("create", target, failed);
  owned_ = false;
  PARAPET_CHECK(sync_directory(parent_of(target)));
  if (exchanges) remove_tree(path_);  // The old one, only now that the new one surely has its place.
  return {};
}

}  // namespace parapet::shard

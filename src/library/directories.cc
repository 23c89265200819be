#include "library/directories.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "os/device_directory.h"

namespace parapet {

std::string PoolError::message() const {
  std::string text = subject.empty() ? std::string() : base::printable(subject) + ": ";
  text += Error::message();
  if (!detail.empty()) text += " (" + detail + ")";
  return text;
}

namespace library {
namespace {

namespace fs = std::filesystem;

/// One name for a directory, however it is spelt; the name itself where it cannot be looked at.
std::string plain_name(const std::string& directory) {
  std::error_code error;
  fs::path path = fs::weakly_canonical(fs::absolute(directory, error), error);
  if (error) return directory;
  if (!path.has_filename()) path = path.parent_path();
  return path;
}

}  // namespace

PoolError about(const std::string& subject, const Error& error, std::string detail) {
  return {error, subject, std::move(detail)};
}

PoolError about_both(const std::string& directory, const std::string& other, const Error& error) {
  return about(directory + " and " + other, error);
}

Result<void, PoolError> check_list(const char* operation, std::span<const std::string> directories) {
  const auto wrong = [&](const char* reason) {
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = operation,
                 .reason = reason,
                 .values = {directories.size(), pool_device_count_max}};
  };
  if (directories.empty()) return about({}, wrong("no device directory is given"));
  if (directories.size() > pool_device_count_max)
    return about({}, wrong("{} device directories are given; a pool has at most {}"));
  std::map<std::string, std::string> seen;
  for (const std::string& directory : directories) {
    if (directory.empty() || directory.find('\0') != std::string::npos)
      return about(directory, wrong("a directory's name is empty, or has a NUL in it"));
    const auto [earlier, is_new] = seen.emplace(plain_name(directory), directory);
    if (!is_new) return about_both(earlier->second, directory, wrong("they are one directory"));
  }
  return {};
}

Result<void, PoolError> check_apart(const char* operation, std::span<const std::string> directories) {
  std::map<std::uint64_t, std::string> by_place;
  for (const std::string& directory : directories) {
    const auto place = os::place_of(directory);
    if (!place) return about(directory, place.error());
    const auto [earlier, is_new] = by_place.emplace(*place, directory);
    if (is_new) continue;
    return about_both(earlier->second, directory,
                      {.code = ErrorCode::invalid_argument,
                       .operation = operation,
                       .reason = "they lie on one disk, and would be lost together; allow_shared_disk takes them"});
  }
  return {};
}

}  // namespace library
}  // namespace parapet

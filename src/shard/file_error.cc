#include "shard/file_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace parapet::shard {
namespace {

ErrorCode code_of(int os_errno) {
  switch (os_errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return ErrorCode::no_space;
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
    case ENOTEMPTY:
      return ErrorCode::already_exists;
    default:
      return ErrorCode::io_failed;
  }
}

}  // namespace

std::string FileError::message() const { return printable(subject) + ": " + text(); }

std::string FileError::text() const {
  const bool from_system = error.os_errno != 0 && *error.reason == '\0';
  std::string words =
      from_system ? fmt::format("cannot {}: {}", error.operation, std::strerror(error.os_errno)) : error.message();
  if (!detail.empty()) words += " (" + detail + ")";
  return words;
}

FileError os_error(const char* operation, std::string subject, int os_errno) {
  return {{.code = code_of(os_errno), .operation = operation, .os_errno = os_errno}, std::move(subject), {}};
}

FileError interrupted_error(std::string subject) {
  return {{.code = ErrorCode::interrupted, .operation = "interrupted", .reason = "nothing was changed"},
          std::move(subject),
          {}};
}

}  // namespace parapet::shard

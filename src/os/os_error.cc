#include "os/os_error.h"

#include <cerrno>

namespace parapet::os {
namespace {

struct Meaning {
  ErrorCode code;
  const char* reason;
};

Meaning meaning_of(int os_errno) {
  switch (os_errno) {
    case ENOENT:
      return {ErrorCode::not_found, "it does not exist"};
    case EEXIST:
      return {ErrorCode::already_exists, "it exists"};
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return {ErrorCode::no_space, "it does not fit"};
    case EACCES:
    case EPERM:
      return {ErrorCode::io_failed, "this user may not do that"};
    case EROFS:
      return {ErrorCode::io_failed, "the file system is mounted for reading only"};
    case ENOTDIR:
      return {ErrorCode::io_failed, "it is not a directory"};
    case EBUSY:
      return {ErrorCode::io_failed, "it is mounted or in use"};
    default:
      return {ErrorCode::io_failed, "the operating system refused"};
  }
}

}  // namespace

Error os_error(const char* operation, int os_errno) {
  const Meaning meaning = meaning_of(os_errno);
  return {.code = meaning.code, .operation = operation, .reason = meaning.reason, .os_errno = os_errno};
}

}  // namespace parapet::os

#include "shard/file_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace parapet::shard {
namespace {

/// The length of the well-formed UTF-8 sequence that `text` begins with, or 0. (RFC 3629, section 4.)
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continued = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return continued(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return continued(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && continued(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return continued(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && continued(2) && continued(3) ? 4 : 0;
  return 0;
}

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

std::string printable(std::string_view name) {
  std::string text;
  while (!name.empty()) {
    const std::size_t length = utf8_length(name);
    const auto byte = static_cast<unsigned char>(name.front());
    const bool control = byte < 0x20 || byte == 0x7f || (length == 2 && byte == 0xc2 && (name[1] & 0xff) < 0xa0);
    if (name.front() == '\n') {
      text += "\\n";
    } else if (name.front() == '\\') {
      text += "\\\\";
    } else if (length == 0 || control) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += name.substr(0, length);
    }
    name.remove_prefix(control || length == 0 ? 1 : length);
  }
  return text;
}

}  // namespace parapet::shard

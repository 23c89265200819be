// What went wrong, as a small value.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "parapet/export.h"

namespace parapet {

/// Each code says what the caller should do about it.
enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< The call is wrong (shape, index, size, null): fix the caller; nothing was written.
  unsupported,       ///< This build or machine cannot do it: choose something else.
  too_many_losses,   ///< Not decodable from what is given: bring chunks back, or give up.
  corrupt,           ///< Bytes fail their checksum or format: repair from redundancy, never retry.
  io_failed,         ///< The operating system refused (see `os_errno`): fail over to another device.
  no_space,          ///< The device or file system is full: free space, then try again.
  not_found,         ///< A named thing does not exist.
  already_exists,    ///< A thing of that name exists and was not to be replaced.
  interrupted,       ///< Stopped on request; nothing was left half-done.
};

/// An error: trivially copyable, no allocation. Text is made only where it is shown, by `message()`.
struct PARAPET_EXPORT Error {
  ErrorCode code = ErrorCode::invalid_argument;
  /// The operation that failed, e.g. "encode". A string with static storage.
  const char* operation = "";
  /// What is wrong and what to do, in words; each `{}` stands for the next of `values`. A string with static storage.
  const char* reason = "";
  std::array<std::uint64_t, 3> values{};
  int os_errno = 0;

  /// One line without a newline, e.g. "encode: chunk 3 has 17 bytes, expected 16".
  [[nodiscard]] std::string message() const;
};

}  // namespace parapet

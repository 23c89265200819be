// An error about a file.
#pragma once

#include <string>

#include "base/printable.h"
#include "parapet/error.h"
#include "parapet/result.h"

namespace parapet::shard {

struct FileError {
  Error error;
  std::string subject;  ///< The path that it is about, as it is.
  std::string detail;   ///< More printable words, e.g. a list of shards; may be empty.

  /// One line without a newline, e.g. "movie.mkv: cannot open: No such file or directory".
  [[nodiscard]] std::string message() const;
  /// The same without the subject.
  [[nodiscard]] std::string text() const;
};

template <class T>
using FileResult = Result<T, FileError>;

/// The error for what the operating system says in `os_errno` about `operation`, e.g. "open".
FileError os_error(const char* operation, std::string subject, int os_errno);

/// The error that stops an interrupted run.
FileError interrupted_error(std::string subject);

/// `result`, its error being about `subject`.
template <class T>
FileResult<T> about(const std::string& subject, Result<T> result) {
  if (!result) return FileError{result.error(), subject, {}};
  if constexpr (std::is_void_v<T>)
    return {};
  else
    return std::move(result).value();
}

using base::printable;

}  // namespace parapet::shard

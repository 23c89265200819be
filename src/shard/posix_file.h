// An open regular file.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <string>

#include "shard/file_error.h"

namespace parapet::shard {

/// Owns a file descriptor. Reads and writes name their offset, so any number of threads may use one file at once.
class PosixFile {
 public:
  PosixFile() = default;
  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  /// Errors: whatever open(2) says; `invalid_argument` when it is no regular file.
  static FileResult<PosixFile> open(const std::string& path);
  /// A new file to write and read. Errors: `already_exists` among others.
  static FileResult<PosixFile> create(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] FileResult<std::uint64_t> size() const;

  /// Fills `bytes` from `offset` on. Errors: `corrupt` when the file ends before.
  FileResult<void> read(std::uint64_t offset, std::span<std::uint8_t> bytes) const;
  FileResult<void> write(std::uint64_t offset, std::span<const std::uint8_t> bytes) const;
  /// The same for several buffers in a row; `parts` is used up.
  FileResult<void> read(std::uint64_t offset, std::span<iovec> parts) const;
  FileResult<void> write(std::uint64_t offset, std::span<iovec> parts) const;

  FileResult<void> resize(std::uint64_t size) const;
  FileResult<void> sync() const;

 private:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_ = -1;
  std::string path_;
};

/// Makes the names in a directory durable.
FileResult<void> sync_directory(const std::string& path);

}  // namespace parapet::shard

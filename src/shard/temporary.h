// Output that appears whole or not at all: made under a temporary name beside its place, then renamed.
//
// Invariants:
// 1. Until `commit` succeeds, the target is as it was before.
// 2. What is not committed is removed by the destructor.
// 3. Temporary names are hidden: ".NAME.parapet-" and random letters.
#pragma once

#include <string>

#include "shard/file_error.h"
#include "shard/posix_file.h"

namespace parapet::shard {

/// Whether `commit` may replace what it finds at its target.
enum class Replace : bool { no, yes };

/// A file under a temporary name in the directory of `target`.
class TemporaryFile {
 public:
  static FileResult<TemporaryFile> create(const std::string& target);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const PosixFile& file() const { return file_; }
  /// Renames it to `target`, which must be in the same directory. The caller has synced the file and syncs the
  /// directory. Errors: `already_exists` unless replacing.
  FileResult<void> commit(const std::string& target, Replace replace);

 private:
  explicit TemporaryFile(PosixFile file) : file_(std::move(file)) {}
  PosixFile file_;
  bool owned_ = true;
};

/// A directory of plain files under a temporary name beside `target`.
class TemporaryDirectory {
 public:
  static FileResult<TemporaryDirectory> create(const std::string& target);
  TemporaryDirectory(TemporaryDirectory&& other) noexcept;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Syncs it and renames it to `target`. An empty directory there is always replaced; one with files only if
  /// `replace`, in one atomic step, and is then deleted.
  FileResult<void> commit(const std::string& target, Replace replace);

 private:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
  bool owned_ = true;
};

/// The directory that holds `path`.
std::string parent_of(const std::string& path);

}  // namespace parapet::shard

// Moves a slice of the data chunks from or to the coded file.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "layout/striping.h"
#include "shard/posix_file.h"
#include "shard/slice.h"

namespace parapet::shard {

/// The coded file as seen by one worker. Keeps its lists between calls, so that it does not allocate each time.
class FileSlices {
 public:
  /// Both must outlive it.
  FileSlices(const PosixFile& file, const layout::Striping& striping, unsigned k)
      : file_(&file), striping_(&striping), k_(k) {}

  /// Fills the data chunks of `buffer`; what lies behind the file's end becomes zero.
  FileResult<void> read(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer);
  /// Writes the data chunks of `buffer`, without padding.
  FileResult<void> write(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer);

  [[nodiscard]] std::uint64_t bytes_moved() const { return bytes_moved_; }

 private:
  struct Part {
    std::uint64_t file_offset;
    std::span<std::uint8_t> bytes;
  };
  void collect_parts(std::uint64_t stripe, const Slice& slice, const SliceBuffer& buffer);
  template <class Transfer>
  FileResult<void> transfer(Transfer move);

  const PosixFile* file_;
  const layout::Striping* striping_;
  unsigned k_;
  std::vector<layout::FileRange> ranges_;
  std::vector<Part> parts_;
  std::vector<iovec> run_;
  std::uint64_t bytes_moved_ = 0;
};

}  // namespace parapet::shard

// One operation on its way to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "env/disk.h"
#include "os/disk_file.h"

namespace parapet::os {

/// Knows what is left of an operation and how it ended. It keeps the file open and the operation's set alive. One
/// thread at a time works on it.
class Transfer {
 public:
  Transfer() = default;
  Transfer(std::shared_ptr<const DiskFile> file, std::shared_ptr<env::IoSet> set, std::size_t index)
      : file_(std::move(file)), set_(std::move(set)), index_(index) {}

  [[nodiscard]] bool is_part_of(const env::IoSet& set) const { return set_.get() == &set; }
  [[nodiscard]] bool in_memory() const { return file_->in_memory; }

  /// The arguments of the next system call.
  [[nodiscard]] env::Io::Kind kind() const { return io().kind; }
  [[nodiscard]] int fd() const { return file_->descriptor.fd(); }
  [[nodiscard]] std::uint64_t offset() const { return io().offset + moved_; }
  [[nodiscard]] std::uint8_t* data() const { return io().buffer.data() + moved_; }
  [[nodiscard]] unsigned size() const;

  /// Takes the answer of that system call: the bytes that it moved, or a negative errno. True when the operation is
  /// over; else the next call is due.
  [[nodiscard]] bool advance(int answer);

  /// Puts the outcome into the set. In the thread that waits for the set only.
  void finish();

 private:
  [[nodiscard]] const env::Io& io() const { return set_->ios[index_]; }
  [[nodiscard]] std::size_t left() const { return io().buffer.size() - moved_; }
  void fail(const char* reason, int os_errno);

  std::shared_ptr<const DiskFile> file_;
  std::shared_ptr<env::IoSet> set_;
  std::size_t index_ = 0;
  std::size_t moved_ = 0;  ///< Bytes, so far.
  Result<void> outcome_;
};

/// What disks have noted in this thread for the World::wait that follows.
std::vector<Transfer>& started_transfers();

}  // namespace parapet::os

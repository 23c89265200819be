// Reads, writes and flushes of one request, on any number of disks, submitted and awaited together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "env/disk.h"
#include "env/world.h"

namespace parapet::env {

/// Use: add operations, `run` once, look at the results. For one thread. The operations of a batch have no order among
/// each other: a flush covers what was done before `run`.
class IoBatch {
 public:
  explicit IoBatch(World& world);

  /// Each adds an operation and returns its index. Offsets and sizes: multiples of `io_alignment` within the disk
  /// (asserted). The batch shares the buffer's bytes; they must not change until the operation is done.
  std::size_t read(Disk& disk, std::uint64_t offset, const IoBuffer& into);
  std::size_t write(Disk& disk, std::uint64_t offset, const IoBuffer& from);
  std::size_t write_durable(Disk& disk, std::uint64_t offset, const IoBuffer& from);
  std::size_t flush(Disk& disk);
  [[nodiscard]] std::size_t size() const { return set_->ios.size(); }

  /// Starts all operations and waits until they are done. At `deadline` those that are not are given up: they fail with
  /// `io_failed` and ETIMEDOUT, and may still happen at any later time.
  void run(Time deadline = never) { run_in_parts(~std::size_t{0}, deadline); }
  /// The same, with about `size_max` bytes under way at a time, one part after the other: work that can wait leaves the
  /// disks to others in between. After a part that was not done at the deadline the others are not started.
  void run_in_parts(std::size_t size_max, Time deadline = never);

  /// After `run`: of operation `index`; of the first that failed.
  [[nodiscard]] Result<void> result(std::size_t index) const;
  [[nodiscard]] Result<void> first_error() const;

 private:
  std::size_t add(Io::Kind kind, Disk& disk, std::uint64_t offset, const IoBuffer& buffer);
  World& world_;
  std::shared_ptr<IoSet> set_;
};

}  // namespace parapet::env

// A device's bytes, behind an interface that can be simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/io_buffer.h"
#include "parapet/result.h"

namespace parapet::env {

class Disk;

/// One operation on a disk. Offset and size are multiples of `io_alignment` and lie within the disk.
struct Io {
  enum class Kind : std::uint8_t {
    read,
    write,
    write_durable,  ///< A write that is durable when it is done; says nothing about other writes.
    flush,          ///< Makes durable every write that was done before the flush was started.
  };
  Kind kind = Kind::read;
  Disk* disk = nullptr;
  std::uint64_t offset = 0;
  IoBuffer buffer;
  bool done = false;
  Result<void> result;  ///< Errors: `io_failed` with errno.
};

/// The operations of one IoBatch. Shared between the batch, the world that waits and the disks that work on it, so that
/// a batch may be given up while operations are still under way. Touched by one thread at a time: disks fill in `done`
/// and `result` only while the thread that started the operations is inside World::wait.
struct IoSet {
  std::vector<Io> ios;
  std::size_t pending = 0;  ///< Started and not done.
};

/// A fixed number of bytes with block reads and writes. A write that is not yet durable may be lost, or kept in part
/// and out of order, when power fails; its bytes are read back until then. Any number of threads may use a disk at
/// once; operations that are under way at the same time and overlap have no order.
class Disk {
 public:
  virtual ~Disk() = default;
  /// Bytes; a multiple of `io_alignment`.
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  /// For messages to people.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Starts operation `index` of the set, or notes it for World::wait to start. Called by IoBatch only.
  virtual void start(const std::shared_ptr<IoSet>& set, std::size_t index) = 0;
};

}  // namespace parapet::env

// When power fails: a number of I/Os after something has begun.
#pragma once

#include <cstdint>
#include <optional>

namespace parapet::sim {

/// What a pool can be in the middle of.
enum class Operation : std::uint8_t { open, create, write, flush, settle, remove, put_out, restore, repair };

/// Planned once for every round of a world; at most one cut comes of a plan.
class PowerCut {
 public:
  /// Power fails `io_count` I/Os after `operation` begins for the first time.
  void plan(Operation operation, std::uint64_t io_count) {
    awaited_ = operation;
    io_count_ = io_count;
    counting_ = false;
  }
  void cancel() { awaited_.reset(); }
  void begin(Operation operation) { counting_ = counting_ || awaited_ == operation; }
  /// An I/O has begun or ended: whether power fails now.
  bool count_io() { return awaited_ && counting_ && io_count_-- == 0; }

 private:
  std::optional<Operation> awaited_;
  std::uint64_t io_count_ = 0;
  bool counting_ = false;
};

}  // namespace parapet::sim

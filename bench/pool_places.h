// Where the accesses of a reference load go.
#pragma once

#include <cstdint>

#include "base/prng.h"
#include "bench/pool_reference.h"

namespace parapet::bench {

/// The places of one operation after the other. For one thread.
class Places {
 public:
  /// Number `turn` of `turn_count` that share the files: each starts elsewhere.
  Places(const Load& load, unsigned file_count, std::uint64_t file_size, unsigned turn, unsigned turn_count)
      : load_(load),
        file_count_(file_count),
        slot_count_(file_size / load.size),
        random_(turn + 1),
        next_slot_(slot_count_ / turn_count * turn) {}

  /// Goes on to the next operation.
  void advance() {
    first_file_ = static_cast<unsigned>(random_.below(file_count_));
    if (load_.sequential) next_slot_ = (next_slot_ + 1) % slot_count_;
  }
  /// Of access `i` of this operation.
  [[nodiscard]] unsigned file(unsigned i) const { return (first_file_ + i) % file_count_; }
  [[nodiscard]] std::uint64_t next_offset() {
    return (load_.sequential ? next_slot_ : random_.below(slot_count_)) * load_.size;
  }

 private:
  const Load& load_;
  unsigned file_count_;
  std::uint64_t slot_count_;
  base::Prng random_;
  std::uint64_t next_slot_;
  unsigned first_file_ = 0;
};

}  // namespace parapet::bench

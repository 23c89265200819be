// For the test that kills: what the process that is killed does, so that the one that kills it can follow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "parapet/pool.h"

namespace parapet::library {

inline constexpr unsigned kill_writer_count = 3;

/// The writes of one thread: it owns the blocks of every segment whose number leaves its own when divided by the number
/// of writers, and overwrites them in an order that follows from the seed.
class KillWork {
 public:
  struct Write {
    std::size_t segment;  ///< Index.
    std::uint64_t block;
    std::uint64_t version;  ///< Larger than that of every write before.
  };

  /// `first_version` is larger than those of all earlier rounds.
  KillWork(std::uint64_t seed, unsigned writer, std::size_t segment_count, std::uint64_t block_count,
           std::uint64_t first_version)
      : random_(seed * kill_writer_count + writer),
        writer_(writer),
        segment_count_(segment_count),
        block_count_(block_count),
        version_(first_version) {}

  Write next() {
    const std::uint64_t own_count = (block_count_ - writer_ + kill_writer_count - 1) / kill_writer_count;
    const auto segment = static_cast<std::size_t>(random_.below(segment_count_));
    const std::uint64_t block = random_.below(own_count) * kill_writer_count + writer_;
    return {segment, block, version_++};
  }
  /// Whether the writer flushes after the last one.
  bool flushes() { return random_.below(8) == 0; }

 private:
  base::Prng random_;
  unsigned writer_;
  std::size_t segment_count_;
  std::uint64_t block_count_;
  std::uint64_t version_;
};

/// What the process says after a flush: all writes of this writer up to this version are durable. Before it opens the
/// pool it says so of no writer, `kill_writer_count`.
struct Acknowledgement {
  std::uint64_t writer;
  std::uint64_t version;
};

}  // namespace parapet::library

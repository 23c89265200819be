// Reads rows of a parity chunk as of a committed vector: home, reserve and logged deltas together.
#pragma once

#include <optional>
#include <vector>

#include "store/home_reader.h"

namespace parapet::store {

/// Use: construct, run the batch, `finish`. The caller holds a pin since before it chose `vector`.
class ParityReader {
 public:
  /// Rows [first_row, first_row + count). `vector`: per data chunk, the update up to which deltas count.
  ParityReader(Store& store, Chunk& chunk, std::uint32_t first_row, std::uint32_t count,
               std::vector<layout::UpdateId> vector, env::IoBatch& io);

  /// `into`: count rows one after another. Errors: `corrupt`, `io_failed`.
  Result<void> finish(const env::IoBatch& io, std::span<std::uint8_t> into);

 private:
  Store& store_;
  Chunk& chunk_;
  std::uint32_t first_row_;
  std::uint32_t count_;
  std::vector<layout::UpdateId> vector_;
  std::optional<HomeReader> home_;
};

/// Keeps a chunk's home, reserve and tag as they are. Waits while the chunk is being moved.
class Pin {
 public:
  Pin(Store& store, Chunk& chunk);
  ~Pin();
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  Store& store_;
  Chunk& chunk_;
};

/// The checksum of a data block as of `upto`, as a parity chunk knows it.
std::uint32_t data_checksum(Store& store, Chunk& parity, unsigned chain, std::uint32_t block, layout::UpdateId upto);

}  // namespace parapet::store

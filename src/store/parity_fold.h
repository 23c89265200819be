// Folds deltas into the home of a parity chunk: what its blocks hold afterwards. Nothing is written here.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "store/home_reader.h"

namespace parapet::store {

/// Use: construct; `read_reserve`, run the batch, `collect`; `read_home`, run the batch, `fold`. By the one who moves
/// the chunk.
class ParityFold {
 public:
  ParityFold(Store& store, Chunk& chunk);

  void read_reserve(env::IoBatch& io);
  /// Takes the changes of the reserve and of `updates`. Errors: `corrupt`, `io_failed`.
  Result<void> collect(const env::IoBatch& io, std::span<const RecordPtr> updates);
  /// Bytes of the blocks that change.
  [[nodiscard]] std::size_t changed_size() const;

  /// The blocks that change, or all.
  void read_home(bool whole, env::IoBatch& io);
  /// Errors: `corrupt`, `io_failed`.
  Result<void> fold(const env::IoBatch& io, layout::ChunkTag& tag);

  /// After `fold`: the blocks that were read, ascending, and what they hold now.
  [[nodiscard]] const std::vector<std::uint32_t>& blocks() const { return blocks_; }
  [[nodiscard]] const env::IoBuffer& bytes() const { return home_->bytes(); }

 private:
  Store& store_;
  Chunk& chunk_;
  ParityRows changes_;
  std::optional<HomeReader> reserve_;
  std::vector<std::uint32_t> blocks_;
  std::optional<HomeReader> home_;
};

}  // namespace parapet::store

// A segment held still at its committed vector, to reconstruct and to compare chunks.
#pragma once

#include <memory>
#include <vector>

#include "pool/segment.h"
#include "store/parity_reader.h"

namespace parapet::pool {

/// Pins the counting chunks, and reads and reconstructs rows of them as of a vector of committed updates. For one
/// thread.
class Snapshot {
 public:
  /// `stage` guards the segment's chains and holders.
  Snapshot(env::World& world, env::Mutex& stage, std::shared_ptr<Segment> segment);

  [[nodiscard]] const std::vector<layout::UpdateId>& vector() const { return vector_; }
  [[nodiscard]] const layout::HolderSet& counting() const { return counting_; }
  /// Chunks of which something could not be read.
  [[nodiscard]] const layout::HolderSet& unreadable() const { return unreadable_; }
  /// The staged image of a block whose device is out, if it has one, as of the same moment.
  [[nodiscard]] const StagedImage* staged(unsigned chunk, std::uint32_t block) const;

  /// A row of a counting chunk. Errors: `corrupt`, `io_failed`.
  Result<void> read_row(unsigned chunk, std::uint32_t row, std::span<std::uint8_t> into);
  /// A row of any chunk from the others, checked where a checksum of it is kept elsewhere. Chunks that cannot be read
  /// are left out. Errors: `too_many_losses`; `corrupt` when the result is not what was written.
  Result<void> reconstruct_row(unsigned chunk, std::uint32_t row, std::span<std::uint8_t> into);

  /// The checksums of all blocks of a data chunk, from a parity chunk that keeps them, else made from its bytes.
  Result<void> data_checksums(unsigned chain, std::span<std::uint32_t> into);

 private:
  using Sources = std::map<unsigned, std::vector<std::uint8_t>>;
  Result<void> compute_row(unsigned chunk, std::uint32_t row, const layout::HolderSet& left_out, Sources& sources,
                           layout::HolderSet& used, std::span<std::uint8_t> into);
  Result<void> check_row(unsigned chunk, std::uint32_t row, std::span<const std::uint8_t> bytes);

  env::World& world_;
  std::shared_ptr<Segment> segment_;
  std::vector<Holder> holders_;
  layout::HolderSet counting_;
  layout::HolderSet unreadable_;
  std::vector<std::unique_ptr<store::Pin>> pins_;
  std::vector<layout::UpdateId> vector_;
  std::map<std::pair<unsigned, std::uint32_t>, StagedImage> staged_;
};

}  // namespace parapet::pool

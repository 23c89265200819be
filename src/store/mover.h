// Moves committed updates of a device's log to where they belong: data to its home; deltas to the reserve or, folded,
// into the parity home. One pass takes the chunks that have some, those with the oldest ones first.
//
// What a pass writes, and in which order:
//  1. Data homes in place, from images that the log durably has. Reserve records behind the used part of the reserve.
//  Folded
//     parity: as images in the pages record when little changed, else the whole chunk into units that nobody owns.
//  2. A flush of the device.
//  3. One pages record per chunk with its new tag, and its slot if that changes; with it the move is done, and with
//     nothing less.
#pragma once

#include <memory>
#include <vector>

#include "store/parity_fold.h"

namespace parapet::store {

/// What a pass takes, and where deltas go.
struct MovePolicy {
  bool data = true;
  bool parity = true;
  bool into_reserve = false;  ///< Deltas go to the reserve while it has room.
};

/// Updates that a pass takes and that some holders may lack: the slot has to say so before the records go.
struct Missed {
  layout::SegmentId segment;
  layout::HolderSet holders;
};

/// A parity chunk that could not be folded: a block of it, or no space for a new home.
struct MoveFailure {
  layout::SegmentId segment;
  std::uint32_t chunk = 0;
  Error error;
};

/// One pass. Use: construct, `write`, `append`; have the batch made durable; `finish`. On an error destroy it: nothing
/// has changed. For one thread; one pass at a time in a store.
class Mover {
 public:
  Mover(Store& store, const MovePolicy& policy);
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  [[nodiscard]] bool empty() const { return moves_.empty(); }
  /// Errors: `io_failed` when the device takes no writes.
  Result<void> write();
  /// After `write`: the chunks that are left out.
  [[nodiscard]] const std::vector<MoveFailure>& failures() const { return failures_; }
  /// Which holders may lack what is taken.
  [[nodiscard]] std::vector<Missed> missed() const;
  /// Adds the pages records to the open batch. `left_out`: those of `missed` that do not count; the slots name them
  /// from now on.
  void append(std::span<const Missed> left_out);
  /// They are durable.
  void finish();

 private:
  struct Move {
    ChunkPtr chunk;
    std::vector<RecordPtr> updates;  ///< That are taken, in log order.
    layout::ChunkTag tag;            ///< The new one.
    layout::ChunkSlot slot;          ///< Its home is the new one.
    layout::Extent old_home;
    RecordPtr pages;
    std::size_t cost = 0;                                       ///< Of the log, kept for the pages record.
    std::vector<std::pair<std::uint32_t, SharedBytes>> images;  ///< Blocks that go with the pages record.
  };
  struct Fold {
    Move* move;
    ParityFold content;
    std::optional<Error> error;
    /// The whole chunk goes to a new home.
    [[nodiscard]] bool whole() const { return !(move->slot.home == move->old_home); }
  };

  bool take(const ChunkPtr& chunk);
  void release(Move& move);
  void write_data(Move& move, env::IoBatch& io);
  bool write_reserve(Move& move, env::IoBatch& io);
  void fold(std::vector<Fold>& folds, env::IoBatch& io);
  Result<void> place(Fold& fold);
  bool reserve_images(Move& move, std::size_t image_size);
  void write_fold(Fold& fold, env::IoBatch& io);
  void leave_failed(const std::vector<Fold>& folds);
  static void advance_tag(Move& move);

  Store& store_;
  MovePolicy policy_;
  std::vector<std::unique_ptr<Move>> moves_;
  std::vector<MoveFailure> failures_;
};

}  // namespace parapet::store

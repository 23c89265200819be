// A device's log: a ring of records with one group commit.
//
// Invariants:
//  1. A position (LSN) is never used twice: it counts bytes since the device was made, and the place on the device is
//  the
//     position modulo the log's size.
//  2. A batch begins at a block, and a block that was written is not written again before the ring comes round to it: a
//     torn write cannot damage what was durable before.
//  3. At most one batch is being written; the next one only after that is durable. So a record is durable only when all
//     before it are.
//  4. Nothing is written over [head, tail), where `head` is what the device's superblock durably says.
//  5. A scan takes a record only if it is intact, says its own position, names the record before it as its predecessor,
//  and
//     no later ballot has written before it; and beyond what was durable, only if it knew that that was durable. It
//     ends at the first that is not, and what lies beyond is never read again: the next record written has that
//     position.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "env/io_batch.h"
#include "layout/superblock.h"
#include "store/record.h"

namespace parapet::store {

/// Not thread-safe: the store's mutex guards it, but for the I/O of `scan` and for `write_batch`.
class Log {
 public:
  Log(env::Disk& disk, const layout::DeviceGeometry& geometry, const layout::LogIdentity& identity);

  struct Scan {
    std::vector<RecordPtr> records;
    bool damaged = false;  ///< It ends before what was durable: something acknowledged may be missing here.
  };
  /// Reads the log from `head` to its end and makes it ready to append. `flushed`: known to have been durable up to
  /// there. `ballot`: of the last record before `head`. Errors: `io_failed`; `corrupt` when the ring has gone over
  /// `head`.
  Result<Scan> scan(env::World& world, layout::Lsn head, layout::Lsn flushed, std::uint32_t ballot);

  /// Bytes that may still be appended, if each batch ends with a padded block.
  [[nodiscard]] std::size_t free_size() const;
  [[nodiscard]] std::size_t size() const { return ring_size_; }
  /// Bytes of the ring in use.
  [[nodiscard]] std::size_t used_size() const { return ring_size_ - free_size(); }

  /// Adds a record to the open batch. Requires room (asserted): who appends has reserved it.
  void append(const RecordPtr& record, std::uint32_t ballot);

  /// Ends the open batch; false when it is empty. Requires that the batch before has ended by `batch_written`.
  bool close_batch();
  /// Adds the writes of the closed batch, the same ones when it is called again. By one thread at a time, which closed
  /// it; needs no guard, since what is written of records does not change after `append`.
  void write_batch(env::IoBatch& io);
  /// The batch is durable.
  void batch_written();

  /// Live records, oldest first: of written and unwritten batches.
  [[nodiscard]] const std::deque<RecordPtr>& live() const { return live_; }
  /// Durable up to here.
  [[nodiscard]] layout::Lsn flushed() const { return flushed_; }
  /// Moves leading freeable records to `dropped`, so that the caller can free thousands of them without its guard;
  /// where the log may begin now.
  layout::Lsn drop_freeable(std::vector<RecordPtr>& dropped);
  /// The superblock says durably that the log begins at `head`.
  void set_head(layout::Lsn head) { head_ = head; }
  [[nodiscard]] layout::Lsn head() const { return head_; }
  /// Of the last record that was forgotten: those that are left are no older.
  [[nodiscard]] std::uint32_t dropped_ballot() const { return dropped_ballot_; }

 private:
  struct Batch {
    std::vector<RecordPtr> records;
    layout::Lsn start = 0;  ///< A multiple of a block, as is `end`.
    layout::Lsn end = 0;
    layout::Lsn flushed = 0;  ///< Known to be durable when it was closed.
    env::IoBuffer bytes;      ///< As they are written; empty before `write_batch`.
  };
  void serialise(Batch& batch) const;

  env::Disk& disk_;
  std::uint64_t ring_offset_;
  std::size_t ring_size_;
  layout::LogIdentity identity_;
  layout::Lsn head_ = 0;
  layout::Lsn flushed_ = 0;     ///< End of the last batch that is durable.
  layout::Lsn open_start_ = 0;  ///< Where the open batch begins: a multiple of a block.
  layout::Lsn open_end_ = 0;
  std::uint32_t dropped_ballot_ = 0;
  layout::Lsn previous_ = 0;  ///< The last record appended.
  bool has_previous_ = false;
  std::vector<RecordPtr> open_;
  Batch closed_;  ///< The batch being written; without records when there is none.
  std::deque<RecordPtr> live_;
};

}  // namespace parapet::store

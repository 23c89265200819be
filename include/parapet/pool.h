// Pools: segments on devices, coded, and overwritten in place.
//
// A device is a directory: it holds one file `device`, or a symbolic link of that name to a block device. A segment is
// an array of bytes, cut into the k data chunks of a code and protected by its m parity chunks, each chunk on a device
// of its own. docs/protocol.md has the promises and the rules behind them; the short form:
//
//  * What a write that returned has written is seen by every later read. It is durable after the next `flush` that
//    returned.
//  * After a crash each block of 4096 bytes is old or new, never a mixture; several blocks are not one.
//  * What a flush covered is never lost, as long as no more devices of a segment are lost, failed or damaged than its
//    code always bears (`Code::tolerance`). Beyond that: an error, never wrong bytes.
//
// Rules for every function here:
//  * Buffers belong to the caller, may have any alignment, and are used only during the call.
//  * A wrong call (range, size, null) gives `invalid_argument`; device memory `unsupported`; both before anything is
//    read or written.
//  * A pool may be used by any number of threads at once. Only `close`, moving and destroying need that nobody else
//  uses
//    it.
//  * A process that forks does not use in the child a pool that was opened before.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parapet/chunk_set.h"
#include "parapet/error.h"
#include "parapet/export.h"
#include "parapet/region.h"
#include "parapet/result.h"

namespace parapet {

/// Most devices of a pool.
inline constexpr unsigned pool_device_count_max = 128;

/// A segment of a pool. Ids are never used twice in a pool.
struct SegmentId {
  std::uint64_t value = 0;
  friend auto operator<=>(const SegmentId&, const SegmentId&) = default;
};

/// When committed updates leave a device's log, and where changes of parity go.
enum class UpdateScheme : std::uint8_t {
  full_overwrite,           ///< Data and parity are brought up to date in place as soon as an update is committed.
  full_logging,             ///< Updates stay in the log until space is needed.
  parity_logging,           ///< Data goes to its place soon, changes of parity stay in the log.
  parity_logging_reserved,  ///< Data goes to its place soon, changes of parity, coalesced, beside their chunk.
};

/// An error that knows what it is about. Copied into an Error it is the same without that.
struct PARAPET_EXPORT PoolError : Error {
  std::string subject;  ///< The directory, or the two, that it is about, as they are; may be empty.
  std::string detail;   ///< More printable words, e.g. which devices are missing; may be empty.

  /// One line without a newline, e.g. "/mnt/a: open device directory: another process has the pool open".
  [[nodiscard]] std::string message() const;
};

struct PoolCreateOptions {
  std::string code = "rs(4,2)";      ///< As for `Code::parse`; of at most 64 chunks.
  std::size_t chunk_size = 1 << 20;  ///< Bytes, rounded up to what the code needs. A segment has k chunks of data.
  UpdateScheme scheme = UpdateScheme::parity_logging_reserved;
  std::uint64_t log_size = 64 << 20;  ///< Bytes of each device that are its log: a multiple of 4096.
  std::uint64_t device_size = 0;      ///< Bytes of each device file: a multiple of 4096. A block device has so many
                                      ///< at least and is used as a whole.
  bool allow_shared_disk = false;     ///< Takes devices on one file system or disk, which would be lost together.
};

/// When what was written is made durable without a call of `flush`.
struct PoolOpenOptions {
  std::chrono::nanoseconds commit_interval = std::chrono::seconds(5);  ///< After so long; at most 24 hours.
  std::size_t commit_size = 64 << 20;                                  ///< When it is more bytes than that.
};

enum class DeviceState : std::uint8_t {
  in,      ///< It counts.
  out,     ///< It is there, but missed something or failed.
  absent,  ///< No directory was given for it, or see `PoolStatus::unusable`.
};

/// Sizes are bytes, 0 for a device that is absent.
struct DeviceStatus {
  DeviceState state = DeviceState::absent;
  std::string directory;   ///< As given to `Pool::open`; empty for one that is absent.
  std::uint64_t free = 0;  ///< For chunks.
  std::uint64_t used = 0;  ///< By chunks.
  std::uint64_t log_size = 0;
  std::uint64_t log_used = 0;
};

/// A directory whose device cannot be used. Which one it is nobody knows; it is among those that are absent.
struct UnusableDevice {
  std::string directory;
  std::string reason;  ///< One line.
};

struct PoolStatus {
  std::vector<DeviceStatus> devices;  ///< All of the pool's, by ordinal.
  std::vector<UnusableDevice> unusable;
  /// Segments with updates in the logs that could not be recovered without devices that are absent; they wait for
  /// those. Others that lack as many say so when they are used.
  std::vector<SegmentId> closed;
  std::vector<unsigned> damaged_logs;  ///< Devices whose log ended before what was durable when the pool was opened.
};

/// A pool that is open; its devices are locked against every other opening. After `close`, or when it was moved from,
/// it answers `invalid_argument`, zero and nothing.
class PARAPET_EXPORT Pool {
 public:
  /// Makes a pool of devices in these directories, in this order. A directory is made, unless there is an empty one or
  /// one with nothing but a link `device` to a block device that holds no device of a pool. Errors, each naming the
  /// directory: `invalid_argument` for wrong options, too few directories for the code, one that is given twice, two on
  /// one file system or disk without `allow_shared_disk` (partitions of one disk are not recognised);
  /// `already_exists`; `not_found` for a missing parent; `no_space`; `io_failed`. After an error nothing new is left.
  static Result<void, PoolError> create(std::span<const std::string> directories, const PoolCreateOptions& options);

  /// Opens the pool whose devices are in these directories, given in any order. Devices may be left out, as long as
  /// more than half of all are given; they go out, and have to be restored when they are back.
  ///
  /// A directory that is given has to hold a device of the pool: one that is missing, empty, of another pool, a copy of
  /// another one, of a newer format, read-only, or open elsewhere is a mistake that the caller can mend, and nothing is
  /// opened or changed. A device that is broken is not: where the disk fails, or the device's first blocks are damaged,
  /// the pool opens without it if it can, and `status` says why.
  ///
  /// Errors, each naming the directory: `invalid_argument` for no directory, one given twice, a device of another pool,
  /// a copy; `not_found` for a directory or device that is not there or is none; `unsupported` for a newer format;
  /// `io_failed` with EWOULDBLOCK where another process, or another Pool of this one, has it open, and else with the
  /// errno of what was refused; `too_many_losses` with half of the devices or fewer (names the missing ones).
  static Result<Pool, PoolError> open(std::span<const std::string> directories, const PoolOpenOptions& options = {});

  Pool(Pool&& other) noexcept;
  Pool& operator=(Pool&& other) noexcept;
  /// As `close`, with nobody to tell the error to.
  ~Pool();
  /// Makes what was written durable, if it can be, and closes the pool in any case. Errors: as `flush`.
  Result<void> close();

  /// A new segment of zeros, durable when this returns. Errors: `no_space`, `io_failed`, `too_many_losses`.
  Result<SegmentId> allocate();
  /// A new segment with these bytes, padded with zeros; 1 to `segment_size()`. Encoded at once, past the logs. Durable
  /// when this returns. Errors: as `allocate`.
  Result<SegmentId> write_segment(ConstRegion bytes);
  /// Bytes of a new segment.
  [[nodiscard]] std::uint64_t segment_size() const;
  /// Bytes of a segment. Errors: `not_found`, `too_many_losses`.
  Result<std::uint64_t> size_of(SegmentId segment);
  /// Errors: `invalid_argument` beyond the segment's end, `not_found`, `no_space`, `too_many_losses`, `io_failed`;
  /// blocks that come before the one that failed may have been written.
  Result<void> write(SegmentId segment, std::uint64_t offset, ConstRegion bytes);
  /// Also from what is left, while the code can. Errors: as `write`; `corrupt`. After an error the buffer holds
  /// anything.
  Result<void> read(SegmentId segment, std::uint64_t offset, Region bytes);
  /// What was written before is durable when it returns. After an error nobody knows.
  Result<void> flush();
  /// Durable when it returns. Its space is free after a while. Errors: as `write`.
  Result<void> remove(SegmentId segment);
  /// Every segment that some device has, ascending.
  std::vector<SegmentId> segments();

  /// Brings back a device that was out when the pool was opened: makes anew what it missed, then counts it in. (One
  /// that failed or was put out since then is brought back after the pool was closed and opened again.) Errors:
  /// `invalid_argument`, `io_failed`, `no_space`, `too_many_losses` when a segment cannot be rebuilt; what was rebuilt
  /// stays so.
  Result<void> restore(unsigned device);
  /// Puts a device out, as if it had failed: from now on nothing is read from it or written to it. Errors:
  /// `invalid_argument`; `too_many_losses` when half of the devices or fewer would be left, with nothing changed.
  Result<void> put_out(unsigned device);
  /// Makes anew every chunk that was found damaged. The pool does it by itself, a while later. Errors: the first one,
  /// after trying all.
  Result<void> repair();
  /// Reads every block of a segment's chunks. The chunks that are damaged, by their index; they are going to be
  /// repaired.
  Result<ChunkSet> scrub(SegmentId segment);

  PoolStatus status();

 private:
  struct Impl;
  explicit Pool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace parapet

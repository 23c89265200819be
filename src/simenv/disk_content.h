// A simulated disk's bytes: those that survive a power failure, and the writes that may not.
//
// 1. `durable_` is what surely survives. `visible_` is `durable_` with all done writes applied, newest last.
// 2. `done_` holds the writes that are done and not durable, in the order in which they became done; `under_way_` the
//    others, in the order of their start. Together, in this order, they are the unflushed writes.
// 3. A sector of a done write over which a newer durable write was done is `superseded`: it is nowhere any more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/prng.h"
#include "simenv/sparse_pages.h"

namespace parapet::simenv {

/// The unit that a disk writes whole or not at all.
inline constexpr std::size_t sector_size = 512;

/// Whether sector `sector_index` of unflushed write `write_index` survives a power failure.
using KeepSector = std::function<bool(std::size_t write_index, std::size_t sector_index)>;

/// The place of a write that is not durable yet.
struct UnflushedWrite {
  std::uint64_t offset;
  std::size_t size;
};

/// Bytes only: no time, no faults. All offsets and sizes are multiples of `sector_size`.
class DiskContent {
 public:
  using WriteId = std::uint64_t;
  /// Which writes were done when a flush was started.
  using FlushMark = std::uint64_t;

  /// A write comes under way; it ends with one of the three after it.
  WriteId begin_write(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  void finish_write(WriteId id);
  void finish_durable_write(WriteId id);
  /// It failed: each sector is old or, not durably, new.
  void tear_write(WriteId id, base::Prng& prng);

  [[nodiscard]] FlushMark begin_flush() const { return last_done_; }
  void finish_flush(FlushMark mark);
  /// It failed: writes that it covers may be out of reach of any later flush. They are read until power fails.
  void fail_flush(FlushMark mark, base::Prng& prng);

  /// Sees all writes that are done, and of those under way any sectors.
  void read(std::uint64_t offset, std::span<std::uint8_t> into, base::Prng& prng) const;
  /// Flips a bit of the durable bytes; it is seen where no newer write covers it.
  void flip_bit(std::uint64_t offset, unsigned bit);

  [[nodiscard]] std::vector<UnflushedWrite> unflushed() const;
  /// Applies what is kept of the unflushed writes, in their order, and forgets them.
  void lose_power(const KeepSector& keep);

  [[nodiscard]] const SparsePages& durable() const { return durable_; }
  /// Forgets everything for other durable bytes.
  void restore(const SparsePages& durable);

 private:
  struct Write {
    WriteId id;
    std::uint64_t offset;
    std::vector<std::uint8_t> bytes;
    std::vector<bool> superseded;
    FlushMark done_at = 0;

    [[nodiscard]] std::size_t sector_count() const { return superseded.size(); }
    [[nodiscard]] std::span<const std::uint8_t> sector(std::size_t index) const;
    [[nodiscard]] bool covers(std::uint64_t at) const { return at >= offset && at - offset < bytes.size(); }
  };

  Write take_under_way(WriteId id);
  void add_done(Write write);
  void supersede(const Write& by);
  static void apply(const Write& write, SparsePages& to);

  SparsePages durable_;
  SparsePages visible_;
  std::vector<Write> done_;
  std::vector<Write> under_way_;
  WriteId last_id_ = 0;
  FlushMark last_done_ = 0;
};

}  // namespace parapet::simenv

// One device: what it holds, its log, and where everything lies.
//
// What a device holds is the device's blocks, overlaid with the images in its log (`PageImages`), and per chunk with
// the logged updates that are not yet moved to its home or reserve (`Chunk::updates`). Recovery therefore writes
// nothing: it reads the log, and the overlay is there again. Moving (`Mover`) and trimming (`Trimmer`) shorten the log
// afterwards:
//
//     update --append--> log --Mover--> home or reserve, and a pages record with the chunk's new tag
//     pages record ----------Trimmer--> the device's own blocks; then the superblock says where the log begins
//
// Invariants:
//  1. A record is freeable only when what it says is durable elsewhere on this device: an update when a durable pages
//  record
//     has the tag that counts it in, a pages record when its newest images lie on the device and are flushed.
//  2. Blocks in use are written only with bytes that the log durably has, or into units that nobody owns yet.
//  3. `reserved` log space covers what is promised: appends under way, and the pages records that moving the dirty
//  chunks
//     on will need. So moving never waits for space.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "env/world.h"
#include "layout/superblock.h"
#include "store/chunk.h"
#include "store/chunk_table.h"
#include "store/code_cache.h"
#include "store/log.h"
#include "store/page_images.h"
#include "store/space.h"

namespace parapet::store {

/// How much of a device's space is what, for people and for tests that add it up. Bytes.
struct SpaceUse {
  std::uint64_t free = 0;
  std::uint64_t taken = 0;         ///< Homes, tags, reserves.
  std::uint64_t leaving = 0;       ///< Given back, but the log still has images of it.
  std::uint64_t reserve_used = 0;  ///< Bytes of reserve records in loaded chunks.
  std::uint64_t log_size = 0;
  std::uint64_t log_used = 0;
  std::uint64_t log_reserved = 0;
  std::uint64_t log_foldable = 0;  ///< Bytes of committed updates that moving can free.
};

/// Any number of threads may use a store; one at a time closes batches, and one at a time moves and trims.
class Store {
 public:
  /// `codes` outlives the store.
  Store(env::World& world, env::Disk& disk, CodeCache& codes, layout::Superblock superblock);

  /// Reads what a device says of itself. Errors: `not_found`, `corrupt`, `unsupported`, `io_failed`.
  static Result<layout::Superblock> identify(env::World& world, env::Disk& disk);
  /// Makes a device: writes log and table once, so that later flushes carry no file-system metadata, then the
  /// superblock.
  static Result<void> format(env::World& world, env::Disk& disk, const layout::Superblock& superblock);

  /// Makes durable what an owner that crashed may have left half-way there. Before anything is written or believed.
  Result<void> flush_device();

  /// Reads table and log; `appended` records carry `ballot` from now on. True when the log's end is damaged.
  Result<bool> recover(std::uint32_t ballot);

  // --- identity and promises
  [[nodiscard]] layout::Superblock superblock();
  /// Changes the superblock durably. On errors it may be the old or the new one.
  Result<void> update_superblock(const std::function<void(layout::Superblock&)>& change);

  // --- the chunk table
  [[nodiscard]] std::optional<layout::ChunkSlot> slot(layout::SegmentId segment);
  /// Every segment here, ascending.
  [[nodiscard]] std::vector<layout::SegmentId> segments();
  /// Segments with logged updates, ascending.
  [[nodiscard]] std::vector<layout::SegmentId> segments_in_log();
  /// Finds room for a chunk: a slot and units for home, tag and `reserve_size` bytes. Nothing is durable yet.
  /// Errors: `no_space`.
  Result<void> allocate_chunk(layout::ChunkSlot slot, std::size_t reserve_size);
  /// Promises room in the log for a change of a slot; waits while moving makes some. Errors: as `reserve_update`.
  Result<std::size_t> reserve_slot_change(layout::SegmentId segment);
  /// The same without waiting, from room that is kept for this. Nothing when there is none; it is made then.
  std::optional<std::size_t> try_reserve_slot_change(layout::SegmentId segment);
  /// Appends a pages record with a changed slot, and at creation the tag. The caller closes the batch. `reserved`: what
  /// was promised for it.
  void append_slot(layout::SegmentId segment, std::size_t reserved,
                   const std::function<void(layout::ChunkSlot&)>& change);
  /// The chunk's slot and units are free once the log has passed this point; a pages record says so.
  void append_removal(layout::SegmentId segment, std::size_t reserved);
  /// Adds a durable write of the whole chunk to the units that it was allocated. After that a later `append_slot` makes
  /// them the chunk's, with this tag. `bytes`: chunk_size.
  void fill_allocated(layout::SegmentId segment, const layout::ChunkTag& tag, const env::IoBuffer& bytes,
                      env::IoBatch& io);
  /// Forgets a chunk that was allocated and never became durable.
  void cancel_allocation(layout::SegmentId segment);

  /// The chunk, loaded. By one thread at a time for each segment. Errors: as `ChunkLoader`.
  Result<ChunkPtr> chunk(layout::SegmentId segment);

  /// Whether nothing of the chunk waits in the log and nobody works on it.
  [[nodiscard]] bool idle(const Chunk& chunk);
  /// Takes an idle chunk out of memory; nobody else may hold it.
  void unload(layout::SegmentId segment);

  // --- updates
  /// Promises room in the log for an update of the chunk; waits while moving makes some. Errors: `no_space` when there
  /// is nothing to wait for.
  Result<std::size_t> reserve_update(Chunk& chunk, std::size_t record_size);
  /// The same without waiting, from room that is kept for this. Errors: `no_space`.
  Result<std::size_t> try_reserve_update(Chunk& chunk, std::size_t record_size);
  void cancel_reservation(std::size_t reserved);
  /// Adds the update to the open batch. `reserved`: what reserve_update gave for it.
  void append_update(Chunk& chunk, const RecordPtr& record, std::size_t reserved);
  struct Committed {
    ChunkPtr chunk;
    unsigned chain;
    layout::UpdateId id;
  };
  void mark_committed(std::span<const Committed> marks);
  /// The logged updates of a data chunk that are not committed, in order.
  [[nodiscard]] std::vector<RecordPtr> uncommitted(Chunk& chunk);
  /// The logged updates of the chunk, or only those that are not committed, may be lacking at `holders`.
  void mark_lacking(Chunk& chunk, const layout::HolderSet& holders, bool uncommitted_only);
  /// Gives up the logged updates of a chunk that does not count and will be removed. Waits for pins to end; no mover
  /// may have the chunk.
  void forget_updates(layout::SegmentId segment);
  /// Nobody waits for room any more: the device is out.
  void give_up();

  // --- background work
  /// Waits until `wanted` says so of the bytes that are in the log, or `wake` is called.
  struct Pressure {
    std::size_t log_size = 0;
    std::size_t log_used = 0;
    std::size_t unmoved_data = 0;  ///< Bytes of records that wait to be moved.
    std::size_t unmoved_delta = 0;
    bool waiting = false;  ///< Someone waits for room.
  };
  [[nodiscard]] Pressure pressure();
  void wait_for(const std::function<bool(const Pressure&)>& wanted);
  void wake();

  // --- group commit, by one thread at a time
  /// Ends the open batch; false when there is nothing to write.
  bool close_batch();
  /// Adds the writes of the closed batch, the same ones when it is called again.
  void write_batch(env::IoBatch& io) { log_.write_batch(io); }
  void batch_written();

  [[nodiscard]] SpaceUse space_use();
  [[nodiscard]] std::uint32_t free_unit_count();
  [[nodiscard]] env::Disk& disk() { return disk_; }
  [[nodiscard]] env::World& world() { return world_; }

 private:
  friend class ChunkLoader;
  friend class ChunkReader;
  friend class HomeReader;
  friend class ParityReader;
  friend class Pin;
  friend std::uint32_t data_checksum(Store&, Chunk&, unsigned, std::uint32_t, layout::UpdateId);
  friend class Mover;
  friend class Trimmer;

  [[nodiscard]] std::uint64_t unit_offset(std::uint32_t unit) const {
    return geometry_.space_offset + std::uint64_t{unit} * layout::unit_size;
  }
  [[nodiscard]] std::uint64_t home_offset(const layout::ChunkSlot& slot) const {
    return unit_offset(slot.home.first_unit);
  }
  [[nodiscard]] std::uint64_t table_page_offset(std::uint32_t page_index) const {
    return geometry_.table_offset + std::uint64_t{page_index} * layout::table_page_size;
  }
  Result<ChunkShape> shape_of(const layout::ChunkSlot& slot);
  Result<void> read_table();
  Result<void> read_table_pages(std::uint32_t first, std::uint32_t count);
  Result<void> replay(const std::vector<RecordPtr>& records);
  Result<void> take_space();
  void forget_predecessors(const Record& pages);
  void replay_update(Chunk& chunk, const RecordPtr& record);
  void load_chunks_of(const std::vector<RecordPtr>& records);
  void append_pages(const RecordPtr& record);
  [[nodiscard]] Pressure pressure_locked() const;
  void add_update(Chunk& chunk, const RecordPtr& record);
  void truncate_chain(Chunk& chunk, unsigned chain, layout::UpdateId last);
  void drop_all_updates(layout::SegmentId segment, layout::Lsn freeable_from = 0);
  void drop_updates(Chunk& chunk, const std::vector<RecordPtr>& records, layout::Lsn freeable_from);
  [[nodiscard]] std::size_t move_cost(const Chunk& chunk) const;
  [[nodiscard]] std::size_t slot_change_cost(layout::SegmentId segment) const;
  Result<std::size_t> wait_for_room(env::Lock& lock, std::size_t size);
  void wake_mover();
  void tell_room_grew();
  [[nodiscard]] std::size_t unreserved() const;
  [[nodiscard]] std::size_t room() const;

  env::World& world_;
  env::Disk& disk_;
  CodeCache& codes_;
  layout::DeviceGeometry geometry_;
  std::unique_ptr<env::Mutex> superblock_mutex_;
  layout::Superblock superblock_;

  std::unique_ptr<env::Mutex> mutex_;  ///< Guards all below.
  std::unique_ptr<env::CondVar> room_grew_;
  std::unique_ptr<env::CondVar> unpinned_;      ///< Pins ended, or moves.
  std::unique_ptr<env::CondVar> mover_wanted_;  ///< What the mover waits for may be so.
  std::uint32_t ballot_ = 0;
  ChunkTable table_;
  Space space_;
  Log log_;
  PageImages images_;
  std::map<layout::SegmentId, ChunkPtr> dirty_;  ///< Chunks with updates.
  std::size_t reserved_ = 0;
  std::map<layout::SegmentId, ChunkPtr> chunks_;
  std::set<layout::SegmentId> damaged_;  ///< Chunks whose logged updates do not follow their tag, or have no good tag.
  std::size_t unmoved_[2] = {0, 0};      ///< Bytes of the updates of data chunks, of parity chunks.
  unsigned waiting_ = 0;
  unsigned movers_waiting_ = 0;
  std::function<bool(const Pressure&)> wanted_;  ///< What the waiting mover waits for.
  bool starved_ = false;                         ///< Someone who does not wait found no room.
  bool given_up_ = false;
};

/// Bytes of a chunk's home extent: the chunk, its tag, and a reserve of at least `reserve_size`.
std::uint32_t home_unit_count(const ChunkShape& shape, std::size_t reserve_size);
/// Where in the home extent the reserve begins, and its size.
std::size_t reserve_offset(const ChunkShape& shape);
std::size_t reserve_capacity(const ChunkShape& shape, const layout::ChunkSlot& slot);

}  // namespace parapet::store

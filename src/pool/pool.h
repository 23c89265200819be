// Segments over devices: the update protocol.
//
// Invariants (docs/protocol.md has the reasons):
//  1. base <= C(i) <= tip on every counting holder of chain i; any decodable set of counting chunks decodes at the
//  vector C.
//  2. An update is committed only when it is durable on all counting holders of its chain, after all earlier ones of
//  it.
//  3. Homes and reserves take committed updates only.
//  4. A holder is left out only after the configuration that says so is durable on all devices that stay in and on a
//     majority; and before a record is freed that a left-out holder may lack, the missed mask of that chunk's slot
//     names it durably.
//  5. Nothing of a segment is served before its counting holders are filled and the configuration of this opening is
//  durable.
//  6. Space in every holder's log is reserved before the first append.
//
// Mutexes, in the order in which they may be taken: load -> a mover's -> stage -> a store's own. Who sets `committing_`
// is the committer: alone it closes batches, writes logs, and changes the configuration.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/mutant.h"
#include "pool/block_cache.h"
#include "pool/range_locks.h"
#include "pool/scheme.h"
#include "pool/segment.h"

namespace parapet::pool {

struct CreateOptions {
  std::string code = "rs(4,2)";
  std::uint32_t chunk_size = 1 << 20;  ///< Rounded up to what the code needs.
  Scheme scheme = Scheme::plr;
  std::uint64_t log_size = 64 << 20;  ///< Of each device.
};

struct OpenOptions {
  bool background = true;  ///< Moves, trims and commits by itself.
  env::Time commit_interval = std::chrono::seconds(5);
  /// Staged bytes beyond which writers wait for a commit; from an eighth on it is made in the background.
  std::size_t commit_size = 64 << 20;
  /// Bytes of the blocks that were written last, kept for reads and for the deltas of later writes.
  std::size_t cache_size = 64 << 20;
  /// Segments that are kept in memory, besides those that are in use or have updates in the logs.
  std::size_t loaded_segments_max = 4096;
};

enum class DeviceState : std::uint8_t { in, out, absent };

struct PoolStatus {
  std::vector<DeviceState> devices;
  layout::Version configuration;
  std::vector<layout::SegmentId> closed;  ///< Segments that cannot be served with the devices that are there.
  std::vector<unsigned> damaged_logs;     ///< Devices whose log ended before what was durable.
  std::size_t loaded_segments = 0;        ///< In memory.
};

/// A pool that is open. Any number of threads may use it. The disks belong to the caller and outlive it.
class Pool {
 public:
  /// Whether `create` takes disks of these sizes and the options. Errors: `invalid_argument`, which says why not.
  static Result<void> check(std::span<const std::uint64_t> disk_sizes, const CreateOptions& options);

  /// Makes a pool of these disks, in this order; whatever they held is lost. Errors: `invalid_argument`, `io_failed`.
  static Result<void> create(env::World& world, std::span<env::Disk* const> disks, const CreateOptions& options);

  /// Opens a pool with those of its disks that are there, in any order. Errors: `invalid_argument` for disks of several
  /// pools or a device twice; a disk that cannot be read counts as absent; `too_many_losses` without a majority of the
  /// devices; those of Store::identify.
  static Result<std::unique_ptr<Pool>> open(env::World& world, std::span<env::Disk* const> disks,
                                            const OpenOptions& options);
  /// Commits what is staged, if it can be.
  ~Pool();

  /// A new segment of zeros, durable when this returns. Errors: `no_space`, `io_failed`.
  Result<layout::SegmentId> allocate();
  /// A new segment with these bytes, padded with zeros; at most `segment_size()`. Encoded at once, past the logs.
  /// Durable when this returns. Errors: as `allocate`, `invalid_argument`.
  Result<layout::SegmentId> write_segment(std::span<const std::uint8_t> bytes);
  /// Bytes of a new segment.
  [[nodiscard]] std::uint64_t segment_size() const { return segment_size_; }
  /// Bytes of a segment. Errors: `not_found`, `too_many_losses`.
  Result<std::uint64_t> size_of(layout::SegmentId segment);
  /// Visible to reads when it returns, durable after the next flush. Each block is old or new after a crash; several
  /// blocks are not one. Errors: `invalid_argument` out of range, `no_space`, `too_many_losses`, `io_failed`; blocks
  /// that come before the one that failed may have been written.
  Result<void> write(layout::SegmentId segment, std::uint64_t offset, std::span<const std::uint8_t> bytes);
  Result<void> read(layout::SegmentId segment, std::uint64_t offset, std::span<std::uint8_t> bytes);
  /// What was written before is durable when it returns. On errors nobody knows.
  Result<void> flush();
  /// Durable when it returns. Its space is free after a while.
  Result<void> remove(layout::SegmentId segment);
  /// Every segment that some device has, ascending.
  std::vector<layout::SegmentId> segments();

  /// Brings back a device that is present but out: rebuilds what it missed, then counts it in. Errors:
  /// `invalid_argument`, `io_failed`, `too_many_losses` when a segment cannot be rebuilt; what was rebuilt stays so.
  Result<void> restore(unsigned device);
  /// Puts a device out, as if it had failed. For tests and for administrators. Errors: `invalid_argument`;
  /// `too_many_losses` when too few would be left, with nothing changed.
  Result<void> put_out(unsigned device);

  PoolStatus status();
  /// Of a device; nothing when it is absent.
  std::optional<store::SpaceUse> space_use(unsigned device);
  /// Moves everything that is committed to its place and shortens the logs. Done in the background otherwise.
  Result<void> settle();

  /// Rebuilds every chunk that was found damaged, and every one that does not count though its device is in. Done in
  /// the background otherwise. Errors: the first, after trying all.
  Result<void> repair();

  /// Reads every block of a segment's chunks and notes the chunks that are damaged for `repair`; says which.
  Result<layout::HolderSet> scrub(layout::SegmentId segment);

  /// Reads all chunks of a segment at its committed vector and compares parity with a fresh encoding. For tests and
  /// scrubs. Errors: `corrupt`.
  Result<void> verify(layout::SegmentId segment);

 private:
  struct Device {
    std::unique_ptr<store::Store> store;      ///< Null when absent.
    std::unique_ptr<env::Mutex> mover_mutex;  ///< One mover at a time.
    std::unique_ptr<env::Thread> mover;
    bool failed = false;
    bool lagging = false;  ///< It missed the last configuration, or is a copy of an earlier time.
  };
  struct StagedUpdate {
    std::shared_ptr<Segment> segment;
    unsigned chain;
    layout::UpdateId id;
  };
  struct Update;
  using SegmentPtr = std::shared_ptr<Segment>;

  Pool(env::World& world, const OpenOptions& options);

  // pool.cc
  Result<std::vector<std::uint8_t>> choose_devices(unsigned n);
  Result<layout::SegmentId> create_segment(const std::vector<env::IoBuffer>& chunks);
  Result<void> allocate_chunks(Segment& segment, layout::ChunkSlot slot);
  layout::DeviceSet write_chunks(Segment& segment, const std::vector<env::IoBuffer>& chunks);
  Result<void> publish(env::Lock& stage, const SegmentPtr& segment);
  Result<void> make_live(env::Lock& stage, Segment& segment);
  static std::vector<BlockRange> whole_range(const Segment& segment);
  Result<void> take_apart(const Holder& place, layout::SegmentId id);

  // open.cc
  Result<void> take_devices(std::span<env::Disk* const> disks);
  Result<void> promise_ballot();
  Result<void> recover_stores();
  Result<void> settle_slots();
  void settle_slot(unsigned device, layout::SegmentId id, std::optional<layout::SlotState> state);
  Result<void> shorten_logs(env::Lock& stage);
  Result<void> recover_segments();
  Result<void> open_configuration();
  [[nodiscard]] bool nothing_missed(unsigned device);
  [[nodiscard]] std::vector<layout::SegmentId> all_segments() const;
  void note_left_out_chunks();
  void start_threads();

  // load.cc: `load_mutex_` is held, but by `segment`
  Result<SegmentPtr> segment(layout::SegmentId id);
  Result<SegmentPtr> load(layout::SegmentId id);
  void unload_some();
  [[nodiscard]] bool idle(const SegmentPtr& segment) const;
  [[nodiscard]] layout::Members effective_members(const layout::ChunkSlot& slot, const Code& code) const;
  std::optional<layout::ChunkSlot> newest_slot(layout::SegmentId id);
  [[nodiscard]] bool lives(const layout::ChunkSlot& slot) const;
  [[nodiscard]] bool others_went_on(const layout::ChunkSlot& slot, const Code& code,
                                    const layout::HolderSet& counting) const;
  /// `stage` is held. Whether it lives and cannot be decoded with the chunks that are here.
  [[nodiscard]] bool closed(layout::SegmentId id);
  void choose_tips(Segment& segment);
  Result<void> fill(Segment& segment, layout::HolderSet damaged);
  Result<void> fill_holder(Segment& segment, unsigned chain, unsigned holder, layout::HolderSet& damaged);
  store::RecordPtr missing_record(Segment& segment, unsigned chain, unsigned holder, const store::Record& source,
                                  unsigned source_holder);

  // write.cc
  Result<void> write_pieces(const SegmentPtr& segment, std::span<const Piece> pieces,
                            std::span<const std::uint8_t> bytes);
  static Update make_update(const Segment& segment, const Piece& piece, const env::IoBuffer& old,
                            std::span<const std::uint8_t> fresh);
  Result<void> stage(const SegmentPtr& segment, const Update& update);
  /// `reserved`: what was promised, by holder, also after an error.
  static Result<void> reserve(const Segment& segment, const Update& update, const layout::HolderSet& counting,
                              std::vector<std::pair<unsigned, std::size_t>>& reserved);
  void append(const SegmentPtr& segment, const Update& update,
              std::span<const std::pair<unsigned, std::size_t>> reserved);
  /// `stage` is held.
  Result<void> servable(const Segment& segment) const;

  // read.cc
  struct BlockRead {
    unsigned chunk;
    std::uint32_t first_block;
    std::uint32_t count;
    env::IoBuffer into;
  };
  static std::vector<BlockRead> chunk_reads(const Segment& segment, std::span<const Piece> pieces);
  /// The newest content of data blocks; what cannot be read is reconstructed. The caller holds the range, or repeats.
  Result<void> read_blocks(const SegmentPtr& segment, std::span<BlockRead> reads);
  /// From memory or from the data chunks themselves. Which of `reads` failed.
  std::vector<std::size_t> read_plainly(Segment& segment, std::span<const BlockRead> reads);
  Result<void> read_single_blocks(const SegmentPtr& segment, const BlockRead& read);
  void note_if_counting(Segment& segment, unsigned holder);
  Result<void> read_degraded(const SegmentPtr& segment, unsigned chunk, std::uint32_t block,
                             std::span<std::uint8_t> into);

  // slots.cc
  using SlotChange = std::function<void(layout::ChunkSlot&)>;
  /// Waits for room for a change of the slots of these holders, one after the other; then changes them all. `stage` is
  /// not held, and held when it returns.
  Result<void> change_slots_waiting(env::Lock& stage, Segment& segment, const layout::HolderSet& holders,
                                    const SlotChange& change);
  /// The same without waiting, with `stage` held. Errors: `no_space`, with nothing changed.
  Result<void> change_slots(Segment& segment, const layout::HolderSet& holders, const SlotChange& change);

  // commit.cc: `stage` is held when they are called and when they return
  Result<void> commit_staged(env::Lock& stage);
  Result<void> commit_round(env::Lock& stage);
  void become_committer(env::Lock& stage);
  void resign_committer(env::Lock& stage);
  void wait_for_round(env::Lock& stage);
  layout::DeviceSet write_batches(env::Lock& stage);
  void finish_round(std::vector<StagedUpdate>& updates);

  // configuration.cc: the same, by the committer
  Result<void> exclude(env::Lock& stage, layout::DeviceSet devices);
  void put_out_failed(unsigned device);  ///< `stage` is not held.
  Result<void> configure(env::Lock& stage, layout::DeviceSet in, layout::DeviceSet leaving);
  Result<void> append_members_of_closing(const layout::DeviceSet& leaving);
  void continue_without_writes();
  layout::DeviceSet write_configuration(env::Lock& stage, const layout::DeviceConfiguration& configuration);
  void leave_out(const layout::DeviceSet& devices);
  void leave_holders_out(Segment& segment, const layout::HolderSet& gone);
  [[nodiscard]] layout::DeviceSet reachable() const;
  [[nodiscard]] unsigned majority() const {
    return base::broken(base::Mutant::no_majority) ? 1 : static_cast<unsigned>(devices_.size()) / 2 + 1;
  }

  // background.cc
  void run_mover(unsigned device);
  void run_committer();
  /// True when something was moved. The device's mover mutex is held.
  Result<bool> move_once(unsigned device, const store::MovePolicy& policy, bool pressing);
  bool failed(unsigned device);
  static Error gone_out(unsigned device);
  Result<void> settle(unsigned device);
  /// `stage` is held.
  std::vector<store::Missed> left_out(std::vector<store::Missed> missed);

  // damage.cc
  void note_damage(layout::SegmentId segment, unsigned holder);
  void note_damage(const Segment& segment, const layout::HolderSet& holders);
  Result<void> append_damage(Segment& segment, const layout::HolderSet& damaged);
  Result<void> leave_chunk_out(const SegmentPtr& segment, unsigned holder);
  void run_repairer();

  // rebuild.cc
  Result<void> give_up_log(const SegmentPtr& segment, unsigned holder);
  Result<void> patiently(const std::function<Result<void>()>& attempt);
  /// Makes the chunk of a holder anew, in fresh units. Requires a lock on all of the segment and nothing staged in it.
  Result<void> rebuild(const SegmentPtr& segment, unsigned holder);
  Result<void> rebuild_content(const SegmentPtr& segment, unsigned holder);
  Result<void> count_in(env::Lock& stage, const SegmentPtr& segment, unsigned holder);

  env::World& world_;
  OpenOptions options_;
  store::CodeCache codes_;
  std::vector<Device> devices_;
  layout::Superblock defaults_;  ///< Identity, code, chunk size and scheme.
  std::uint64_t segment_size_ = 0;
  std::uint32_t ballot_ = 0;
  RangeLocks ranges_;
  BlockCache cache_;

  std::unique_ptr<env::Mutex> load_mutex_;  ///< Held while segments are loaded, created or removed.

  std::unique_ptr<env::Mutex> stage_;  ///< Guards all below, and all appends to logs.
  /// Who waits for a round waits for that of its number's parity, and is woken when it has ended or nobody leads it.
  std::array<std::unique_ptr<env::CondVar>, 2> round_ended_;
  std::unique_ptr<env::CondVar> committer_resigned_;
  std::map<layout::SegmentId, SegmentPtr> segments_;
  layout::SegmentId unload_hand_;              ///< The last one that was looked at for being unloaded.
  std::vector<layout::SegmentId> incomplete_;  ///< During an opening.
  layout::DeviceConfiguration configuration_;
  std::uint64_t update_counter_ = 0;
  std::uint32_t segment_counter_ = 0;
  std::vector<StagedUpdate> staged_;
  std::size_t staged_size_ = 0;
  std::uint64_t open_round_ = 1;
  std::uint64_t committed_round_ = 0;
  bool committing_ = false;
  std::optional<Error> failure_;  ///< Writes fail for good: no majority takes a configuration.
  std::optional<Error> lost_;     ///< Updates of a segment that closed were lost: no flush may succeed any more.
  std::vector<unsigned> damaged_logs_;
  std::set<std::pair<layout::SegmentId, unsigned>> damaged_;  ///< Chunks that wait for their repair.
  std::uint32_t step_ = 0;  ///< Of the last version given to a configuration or to members.
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<env::CondVar> commit_wanted_;
  std::unique_ptr<env::CondVar> damage_noted_;
  std::unique_ptr<env::Thread> committer_;
  std::unique_ptr<env::Thread> repairer_;
};

}  // namespace parapet::pool

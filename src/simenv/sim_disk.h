// A simulated disk. Faults that it may produce:
//
// * at power loss: any subset of the writes that are not durable is kept, each whole or torn between 512-byte sectors;
// * what SimFaults names: read, write and flush errors, lost and misdirected writes, misdirected reads, rot, no space,
//   slow, stuck and late operations, death;
// * stale, cloned and swapped devices: through `durable` and `restore`.
//
// 1. An operation under way is in `operations_`; it has an event that ends it, unless it is stuck.
// 2. Operations of an older generation than `generation_` have no effect: power loss ends those under way, and those
//    started later through an old handle fail.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "env/disk.h"
#include "simenv/disk_content.h"
#include "simenv/service_time.h"
#include "simenv/sim_faults.h"
#include "simenv/sim_world.h"

namespace parapet::simenv {

/// As an env::Disk it works again after every power-on; software that runs from one power-on to the next uses a `boot`
/// handle. Must not be destroyed while someone waits for it; operations that were given up end with it.
class SimDisk : public env::Disk {
 public:
  /// `size`: a multiple of `env::io_alignment`; any, since only what is written costs memory. All zeros.
  SimDisk(SimWorld& world, std::uint64_t size, std::string name,
          std::unique_ptr<ServiceTime> service_time = random_service_time());
  ~SimDisk() override;

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] const std::string& name() const override { return name_; }
  void start(const std::shared_ptr<env::IoSet>& set, std::size_t index) override;

  /// The disk as one boot sees it: fails for ever after the next power loss. Must not outlive this.
  std::unique_ptr<env::Disk> boot();

  SimFaults& faults() { return faults_; }
  /// Flips a bit of the durable byte at `offset` now.
  void rot(std::uint64_t offset);
  /// Stuck operations happen now.
  void release_stuck();
  /// From now on all operations fail, as after FaultKind::dead; or no longer.
  void set_dead(bool dead) { dead_ = dead; }

  /// The writes that a power loss may undo: those done, in their order, then those under way. Their places in the list
  /// are the indices that KeepSector is given.
  [[nodiscard]] std::vector<UnflushedWrite> unflushed() const { return content_.unflushed(); }
  [[nodiscard]] std::size_t unflushed_count() const { return unflushed().size(); }

  /// Cuts the power: every operation under way or later fails with EIO, and of the unflushed writes those sectors
  /// remain that the seed chooses, or `keep`. Nothing happens when power is off already.
  void power_off();
  void power_off(const KeepSector& keep);
  /// The durable bytes that `power_off(keep)` would leave. Nothing changes.
  [[nodiscard]] SparsePages durable_after(const KeepSector& keep) const;
  /// The disk works again, with its durable bytes.
  void power_on() { powered_ = true; }

  /// A hash of the durable bytes; a cheap snapshot of them.
  [[nodiscard]] std::uint64_t content_hash() const { return content_.durable().hash(); }
  [[nodiscard]] SparsePages durable() const { return content_.durable(); }
  /// Replaces the durable bytes. No operation may be under way (asserted); unflushed writes are forgotten.
  void restore(const SparsePages& durable);
  /// Becomes a clone of `other`, which has the same size (asserted). As `restore`.
  void clone_content_from(const SimDisk& other);

 private:
  friend class SimDiskHandle;

  struct Operation {
    std::shared_ptr<env::IoSet> set;
    std::size_t index;
    env::Io io;  // A copy: the set's own belongs to whoever waits, who may have given up.
    std::optional<FaultKind> fault = std::nullopt;
    std::uint32_t checksum = 0;  // Of the bytes to write.
    DiskContent::WriteId write = 0;
    DiskContent::FlushMark mark = 0;
    std::optional<Scheduler::EventId> event = std::nullopt;
  };

  void begin(const std::shared_ptr<env::IoSet>& set, std::size_t index, std::uint64_t generation);
  void refuse(const std::shared_ptr<env::IoSet>& set, std::size_t index);
  void begin_effect(Operation& operation);
  [[nodiscard]] env::Time end_time(const Operation& operation);
  void schedule_end(std::uint64_t id, env::Time time);
  void end(std::uint64_t id);
  Result<void> take_effect(const Operation& operation);
  Result<void> finish_read(const Operation& operation);
  Result<void> finish_write(const Operation& operation);
  Result<void> finish_flush(const Operation& operation);
  std::uint64_t misdirect(std::uint64_t offset, std::uint64_t size);
  void fail_all_under_way();
  void trace(const char* event, std::uint64_t id, const Operation& operation);

  SimWorld& world_;
  std::uint64_t size_;
  std::string name_;
  std::unique_ptr<ServiceTime> service_time_;
  base::Prng prng_;
  DiskContent content_;
  SimFaults faults_;
  bool powered_ = true;
  bool dead_ = false;
  std::uint64_t generation_ = 0;
  std::uint64_t next_operation_ = 0;
  std::map<std::uint64_t, Operation> operations_;
};

}  // namespace parapet::simenv

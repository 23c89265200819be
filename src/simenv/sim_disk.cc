#include "simenv/sim_disk.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/assert.h"
#include "base/crc32c.h"
#include "simenv/power_loss.h"

namespace parapet::simenv {
namespace {

using Kind = env::Io::Kind;

Error disk_error(const char* reason, int os_errno) {
  return {.code = ErrorCode::io_failed, .operation = "simulated disk", .reason = reason, .os_errno = os_errno};
}

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::read:
      return "read";
    case Kind::write:
      return "write";
    case Kind::write_durable:
      return "write_durable";
    case Kind::flush:
      break;
  }
  return "flush";
}

bool is_write(const env::Io& io) { return io.kind == Kind::write || io.kind == Kind::write_durable; }

std::uint32_t checksum(const env::IoBuffer& buffer) { return base::crc32c(0, buffer.data(), buffer.size()); }

}  // namespace

class SimDiskHandle : public env::Disk {
 public:
  explicit SimDiskHandle(SimDisk& disk) : disk_(disk), generation_(disk.generation_) {}
  [[nodiscard]] std::uint64_t size() const override { return disk_.size(); }
  [[nodiscard]] const std::string& name() const override { return disk_.name(); }
  void start(const std::shared_ptr<env::IoSet>& set, std::size_t index) override {
    disk_.begin(set, index, generation_);
  }

 private:
  SimDisk& disk_;
  std::uint64_t generation_;
};

SimDisk::SimDisk(SimWorld& world, std::uint64_t size, std::string name, std::unique_ptr<ServiceTime> service_time)
    : world_(world),
      size_(size),
      name_(std::move(name)),
      service_time_(std::move(service_time)),
      prng_(world.fork_seed()) {
  PARAPET_ASSERT(size % env::io_alignment == 0);
}

SimDisk::~SimDisk() {
  for (const auto& [id, operation] : operations_)
    if (operation.event) world_.scheduler().cancel(*operation.event);
}

std::unique_ptr<env::Disk> SimDisk::boot() { return std::make_unique<SimDiskHandle>(*this); }

void SimDisk::start(const std::shared_ptr<env::IoSet>& set, std::size_t index) { begin(set, index, generation_); }

void SimDisk::begin(const std::shared_ptr<env::IoSet>& set, std::size_t index, std::uint64_t generation) {
  // Only before a batch's first operation: once one is under way, its thread goes on to World::wait.
  if (index == 0) world_.scheduler().preempt();
  if (!powered_ || dead_ || generation != generation_) return refuse(set, index);
  Operation operation{.set = set, .index = index, .io = set->ios[index]};
  operation.fault = faults_.decide(operation.io, prng_);
  dead_ = operation.fault == FaultKind::dead;
  if (dead_) return refuse(set, index);
  const std::uint64_t id = next_operation_++;
  begin_effect(operation);
  trace("begin", id, operation);
  const env::Time time = end_time(operation);
  const bool stuck = operation.fault == FaultKind::stuck;
  operations_.emplace(id, std::move(operation));
  if (!stuck) schedule_end(id, time);
  world_.io_happened();
}

void SimDisk::refuse(const std::shared_ptr<env::IoSet>& set, std::size_t index) {
  world_.trace_log().add(world_.now(), "refuse", name_, {{"index", index}});
  world_.scheduler().at(world_.now(), [&world = world_, set, index] {
    world.complete(set, index, disk_error("the disk does not work", EIO));
  });
}

void SimDisk::begin_effect(Operation& operation) {
  const env::Io& io = operation.io;
  if (io.kind == Kind::flush) operation.mark = content_.begin_flush();
  if (!is_write(io)) return;
  operation.checksum = checksum(io.buffer);
  if (operation.fault == FaultKind::lost_write || operation.fault == FaultKind::no_space) return;
  const bool misdirected = operation.fault == FaultKind::misdirected_write;
  const std::uint64_t offset = misdirected ? misdirect(io.offset, io.buffer.size()) : io.offset;
  operation.write = content_.begin_write(offset, io.buffer.span());
}

env::Time SimDisk::end_time(const Operation& operation) {
  const env::Time now = world_.now();
  const env::Time usual = service_time_->done_at(operation.io, now, prng_);
  if (operation.fault == FaultKind::slow) return now + (usual - now) * faults_.slow_factor;
  return operation.fault == FaultKind::late ? usual + faults_.delay : usual;
}

void SimDisk::schedule_end(std::uint64_t id, env::Time time) {
  operations_.at(id).event = world_.scheduler().at(time, [this, id] { end(id); });
}

void SimDisk::end(std::uint64_t id) {
  const Operation operation = std::move(operations_.extract(id).mapped());
  const Result<void> result = take_effect(operation);
  trace("end", id, operation);
  world_.complete(operation.set, operation.index, result);
  world_.io_happened();
}

Result<void> SimDisk::take_effect(const Operation& operation) {
  if (operation.io.kind == Kind::read) return finish_read(operation);
  return is_write(operation.io) ? finish_write(operation) : finish_flush(operation);
}

Result<void> SimDisk::finish_read(const Operation& operation) {
  const env::Io& io = operation.io;
  if (operation.fault == FaultKind::read_error) return disk_error("read error", EIO);
  if (operation.fault == FaultKind::rot && io.buffer.size() > 0) rot(io.offset + prng_.below(io.buffer.size()));
  const bool misdirected = operation.fault == FaultKind::misdirected_read;
  const std::uint64_t offset = misdirected ? misdirect(io.offset, io.buffer.size()) : io.offset;
  content_.read(offset, io.buffer.span(), prng_);
  return {};
}

Result<void> SimDisk::finish_write(const Operation& operation) {
  // The bytes were taken when the write was started; that they could have been taken at any time until now is what real
  // disks rely on.
  PARAPET_ASSERT(operation.checksum == checksum(operation.io.buffer));
  if (operation.fault == FaultKind::no_space) return disk_error("no space is left", ENOSPC);
  if (operation.fault == FaultKind::lost_write) return {};
  if (operation.fault == FaultKind::write_error) {
    content_.tear_write(operation.write, prng_);
    return disk_error("write error", EIO);
  }
  if (operation.io.kind == Kind::write_durable)
    content_.finish_durable_write(operation.write);
  else
    content_.finish_write(operation.write);
  return {};
}

Result<void> SimDisk::finish_flush(const Operation& operation) {
  if (operation.fault == FaultKind::flush_error) {
    content_.fail_flush(operation.mark, prng_);
    return disk_error("flush error", EIO);
  }
  content_.finish_flush(operation.mark);
  return {};
}

// Another place nearby, so that it meets bytes that matter; the same one if the disk has no other.
std::uint64_t SimDisk::misdirect(std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t places = (size_ - size) / env::io_alignment + 1;
  if (places == 1) return offset;
  const std::uint64_t shift = 1 + prng_.below(std::min<std::uint64_t>(places - 1, 16));
  return (offset / env::io_alignment + shift) % places * env::io_alignment;
}

void SimDisk::rot(std::uint64_t offset) {
  const auto bit = static_cast<unsigned>(prng_.below(8));
  content_.flip_bit(offset, bit);
  world_.trace_log().add(world_.now(), "rot", name_, {{"offset", offset}, {"bit", bit}});
}

void SimDisk::release_stuck() {
  for (auto& [id, operation] : operations_)
    if (!operation.event) schedule_end(id, world_.now());
}

void SimDisk::power_off() { power_off(RandomKeep(prng_)); }

void SimDisk::power_off(const KeepSector& keep) {
  if (!powered_) return;
  powered_ = false;
  ++generation_;
  service_time_->power_off();
  std::uint64_t kept = 0;
  content_.lose_power([&](std::size_t write_index, std::size_t sector_index) {
    const bool keeps = keep(write_index, sector_index);
    kept = mix(kept, keeps ? 1 : 0);
    return keeps;
  });
  world_.trace_log().add(world_.now(), "power off", name_, {{"kept", kept}});
  fail_all_under_way();
}

SparsePages SimDisk::durable_after(const KeepSector& keep) const {
  DiskContent content = content_;
  content.lose_power(keep);
  return content.durable();
}

void SimDisk::fail_all_under_way() {
  const std::map<std::uint64_t, Operation> failed = std::exchange(operations_, {});
  for (const auto& [id, operation] : failed) {
    if (operation.event) world_.scheduler().cancel(*operation.event);
    world_.complete(operation.set, operation.index, disk_error("the power has failed", EIO));
  }
}

void SimDisk::restore(const SparsePages& durable) {
  PARAPET_ASSERT(operations_.empty());
  content_.restore(durable);
}

void SimDisk::clone_content_from(const SimDisk& other) {
  PARAPET_ASSERT(size_ == other.size_);
  restore(other.durable());
}

void SimDisk::trace(const char* event, std::uint64_t id, const Operation& operation) {
  const env::Io& io = operation.io;
  const env::Time now = world_.now();
  world_.trace_log().add(
      now, event, name_,
      {{kind_name(io.kind), id}, {"offset", io.offset}, {"size", io.buffer.size()}, {"checksum", operation.checksum}});
  if (operation.fault) world_.trace_log().add(now, fault_name(*operation.fault), name_, {{kind_name(io.kind), id}});
}

}  // namespace parapet::simenv

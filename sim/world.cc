#include "sim/world.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "base/prng.h"
#include "pool/pool.h"
#include "sim/model.h"
#include "simenv/sim_disk.h"

namespace parapet::sim {
namespace {

using layout::SegmentId;

/// What kind of pool a world has.
struct Shape {
  std::string code;
  unsigned devices = 0;
  std::uint32_t chunk_size = 0;
  pool::Scheme scheme = pool::Scheme::fo;
  std::uint64_t log_size = 0;
};

Shape shape_of(base::Prng& prng) {
  constexpr std::array codes = {"rs(2,1)",    "rs(4,2)",  "rs(3,3)",          "xrs(4,2)",
                                "lrc(4,2,2)", "rdp(4,2)", "replication(1,2)", "cauchy_good(3,2,packetsize=512)",
                                "xor(3,1)",   "clay(4,2)"};
  Shape shape;
  shape.code = codes[prng.below(codes.size())];
  const Code code = Code::parse(shape.code).value();
  shape.devices = code.n() + static_cast<unsigned>(prng.below(3));
  shape.chunk_size = static_cast<std::uint32_t>(16 << 10) << prng.below(3);
  shape.scheme = static_cast<pool::Scheme>(prng.below(4));
  shape.log_size = (256 << 10) << prng.below(3);
  return shape;
}

/// A segment of the world, and who knows what about it.
struct KnownSegment {
  SegmentModel model;
  bool removing = false;  ///< Its removal was begun and not acknowledged.
};

class World {
 public:
  World(std::uint64_t seed, std::ostream* trace) : prng_(seed ^ 0x5eed), world_(seed), shape_(shape_of(prng_)) {
    world_.trace(trace);
    const Code code = Code::parse(shape_.code).value();
    budget_ = std::min(code.tolerance(), shape_.devices - (shape_.devices / 2 + 1));
    for (unsigned i = 0; i < shape_.devices; ++i)
      disks_.push_back(std::make_unique<simenv::SimDisk>(world_, 4 << 20, fmt::format("d{}", i)));
  }

  WorldResult run() {
    world_.run([&] {
      create();
      const std::uint64_t rounds = 1 + prng_.below(5);
      for (std::uint64_t i = 0; i < rounds && !failure_; ++i) round(false);
      if (!failure_) round(true);
    });
    WorldResult result;
    if (failure_)
      result.failure = fmt::format("{} ({} on {} devices, chunks of {}, scheme {}, log of {})", *failure_, shape_.code,
                                   shape_.devices, shape_.chunk_size, pool::name_of(shape_.scheme), shape_.log_size);
    result.trace_hash = world_.trace_hash();
    result.operations = operations_;
    result.events = events_;
    return result;
  }

 private:
  void fail(std::string text) {
    world_.note(text);
    if (!failure_) failure_ = std::move(text);
  }
  /// An error counts unless the power is off.
  template <class T>
  bool good(const T& result, std::string_view what) {
    if (result) return true;
    if (!crashed_) fail(fmt::format("{} fails: {}", what, result.error().message()));
    return false;
  }
  bool chance(unsigned one_in) { return prng_.below(one_in) == 0; }
  void count(const char* event) { ++events_[event]; }

  void create() {
    std::vector<env::Disk*> all;
    for (const auto& disk : disks_) all.push_back(disk.get());
    good(pool::Pool::create(world_, all, {shape_.code, shape_.chunk_size, shape_.scheme, shape_.log_size}), "create");
  }

  /// From power-on to close or crash.
  void round(bool last) {
    crashed_ = false;
    for (const auto& disk : disks_) disk->power_on();
    heal_disks();
    choose_absent(last);
    if (!last) choose_victims();
    if (!last && !chance(3)) schedule_crash();
    std::vector<std::unique_ptr<env::Disk>> handles;
    std::vector<env::Disk*> present;
    for (unsigned i = 0; i < disks_.size(); ++i) {
      if (absent_.contains(i)) continue;
      handles.push_back(disks_[i]->boot());
      // One that does not know itself any more would not be given.
      if (tainted_.contains(i) && !store::Store::identify(world_, *handles.back())) continue;
      present.push_back(handles.back().get());
    }
    for (std::size_t i = present.size(); i > 1; --i) std::swap(present[i - 1], present[prng_.below(i)]);
    serve(present, last);
    ++epoch_;
    if (!crashed_) power_off();
  }

  void serve(const std::vector<env::Disk*>& present, bool last) {
    pool::OpenOptions options;
    options.cache_size = chance(2) ? 0 : 8 * 4096;
    options.loaded_segments_max = prng_.below(3);
    auto opened = pool::Pool::open(world_, present, options);
    if (!good(opened, "open")) return;
    pool::Pool& pool = **opened;
    world_.note("open");
    if (!check_segments(pool)) return;
    update_out(pool);
    for (unsigned device : out_) world_.note(fmt::format("device {} is out", device));
    if (last || chance(2)) restore_all(pool);
    if (last) {
      scrub_all(pool);
      check_end(pool);
      return;
    }
    run_clients(pool);
    if (failure_) return;
    const Moment moment = moment_;
    if (good(pool.flush(), "the flush at the end"))
      for (auto& [id, segment] : segments_) segment.model.flushed(moment);
  }

  void choose_absent(bool last) {
    absent_.clear();
    if (last) return;
    // A device that was away stays out until it is restored: it counts against what may be missing.
    for (std::size_t i = bad_count(); i < budget_; ++i)
      if (chance(2)) {
        absent_.insert(static_cast<unsigned>(prng_.below(disks_.size())));
        count("absence");
      }
    for (unsigned device : out_)
      if (chance(2)) absent_.insert(device);
    for (unsigned device : absent_) world_.note(fmt::format("device {} is absent", device));
    out_.insert(absent_.begin(), absent_.end());
  }

  /// Devices that are out, absent or damaged in some way.
  [[nodiscard]] std::size_t bad_count() const {
    std::set<unsigned> bad = out_;
    bad.insert(tainted_.begin(), tainted_.end());
    return bad.size();
  }

  void heal_disks() {
    for (const auto& disk : disks_) {
      disk->faults().clear_rates();
      disk->set_dead(false);
      disk->release_stuck();
    }
    if (stale_) {
      world_.note("a device is as it was before");
      disks_[stale_->first]->restore(stale_->second);
      stale_.reset();
    }
  }

  /// Devices that something befalls in this round. With those that are bad already they stay within what the code
  /// bears.
  void choose_victims() {
    while (bad_count() < budget_ && chance(2)) {
      const auto device = static_cast<unsigned>(prng_.below(disks_.size()));
      if (out_.contains(device) || tainted_.contains(device)) continue;
      tainted_.insert(device);
      attack(device);
    }
  }

  void attack(unsigned device) {
    simenv::SimDisk& disk = *disks_[device];
    using simenv::FaultKind;
    const std::array<std::pair<FaultKind, std::uint32_t>, 9> rates = {{{FaultKind::read_error, 50'000},
                                                                       {FaultKind::write_error, 20'000},
                                                                       {FaultKind::flush_error, 50'000},
                                                                       {FaultKind::lost_write, 20'000},
                                                                       {FaultKind::misdirected_write, 10'000},
                                                                       {FaultKind::misdirected_read, 20'000},
                                                                       {FaultKind::rot, 50'000},
                                                                       {FaultKind::stuck, 3'000},
                                                                       {FaultKind::late, 20'000}}};
    const std::size_t kind = prng_.below(rates.size() + 3);
    if (kind < rates.size()) {
      note_attack(device, simenv::fault_name(rates[kind].first));
      disk.faults().set_rate(rates[kind].first, rates[kind].second);
    } else if (kind == rates.size()) {
      note_attack(device, "death");
      const std::uint64_t epoch = epoch_;
      world_.scheduler().at(world_.now() + env::Time(prng_.below(30'000'000)), [this, epoch, device] {
        if (epoch == epoch_) disks_[device]->set_dead(true);
      });
    } else if (kind == rates.size() + 1) {
      note_attack(device, "rotten bits");
      for (std::uint64_t i = 1 + prng_.below(20); i > 0; --i) disk.rot(prng_.below(chance(2) ? disk.size() : 1 << 20));
    } else {
      note_attack(device, "stale");
      stale_ = {device, disk.durable()};
    }
  }

  void note_attack(unsigned device, std::string_view what) {
    count(std::string(what).c_str());
    world_.note(fmt::format("device {} suffers: {}", device, what));
  }

  void schedule_crash() {
    const std::uint64_t epoch = epoch_;
    // Most often early: there are opening, filling and the first commits.
    const std::uint64_t span = chance(2) ? 5'000'000 : 60'000'000;
    world_.scheduler().at(world_.now() + env::Time(prng_.below(span)), [this, epoch] {
      if (epoch == epoch_ && !crashed_) {
        count("crash");
        power_off();
      }
    });
  }

  void power_off() {
    crashed_ = true;
    world_.note("power off");
    for (const auto& disk : disks_) disk->power_off();
  }

  void update_out(pool::Pool& pool) {
    const auto status = pool.status();
    if (crashed_) return;
    out_.clear();
    for (unsigned i = 0; i < status.devices.size(); ++i)
      if (status.devices[i] != pool::DeviceState::in) out_.insert(i);
  }

  void restore_all(pool::Pool& pool) {
    const auto status = pool.status();
    for (unsigned i = 0; i < status.devices.size(); ++i) {
      if (status.devices[i] != pool::DeviceState::out) continue;
      count("restore");
      const auto restored = pool.restore(i);
      if (!restored && !tainted_.contains(i) && !good(restored, "restore")) return;
    }
    update_out(pool);
  }

  void scrub_all(pool::Pool& pool) {
    for (const auto& [id, segment] : segments_)
      if (!good(pool.scrub(id), "scrub")) return;
    good(pool.repair(), "repair");
  }

  /// What the pool has is what may be there, and becomes the truth.
  bool check_segments(pool::Pool& pool) {
    const auto list = pool.segments();
    const std::set<SegmentId> there(list.begin(), list.end());
    for (auto it = segments_.begin(); it != segments_.end();) {
      if (there.contains(it->first)) {
        it->second.removing = false;
        ++it;
      } else if (it->second.removing) {
        it = segments_.erase(it);
      } else {
        if (!crashed_) fail(fmt::format("segment {} is gone", it->first.value));
        return false;
      }
    }
    for (SegmentId id : list) {
      const auto size = pool.size_of(id);
      if (!good(size, "size_of")) return false;
      if (!segments_.contains(id)) {
        if (!creating_ && may_come_back()) {
          count("return of a removed segment");
          if (!good(pool.remove(id), "remove")) return false;
          continue;
        }
        if (!creating_) {
          fail(fmt::format("segment {} is there, and should not be", id.value));
          return false;
        }
        add_segment(id, *size, *creating_);
      }
      Bytes bytes(*size);
      if (!good(pool.read(id, 0, bytes), "the first read")) return false;
      if (const auto wrong = segments_.at(id).model.settle(bytes)) {
        fail(fmt::format("segment {}: {}", id.value, *wrong));
        return false;
      }
    }
    creating_.reset();
    return true;
  }

  /// Where one chunk makes a segment, a device that lost the write of a removal may stand against another one that is
  /// right, and nobody can tell them apart: then the segment is kept.
  [[nodiscard]] bool may_come_back() const { return !tainted_.empty() && Code::parse(shape_.code).value().k() == 1; }

  void run_clients(pool::Pool& pool) {
    for (int i = 0; i < 2; ++i)
      if ((segments_.size() < 2 || chance(4)) && !crashed_ && !failure_) allocate(pool);
    if (segments_.empty()) return;
    const unsigned count = 1 + static_cast<unsigned>(prng_.below(3));
    std::vector<std::unique_ptr<env::Thread>> clients;
    for (unsigned client = 0; client < count; ++client)
      clients.push_back(world_.start_thread("client", [this, &pool, client, count, seed = prng_()] {
        run_client(pool, client, count, base::Prng(seed));
      }));
    clients.clear();
    if (chance(4) && !segments_.empty() && !crashed_ && !failure_) remove_one(pool);
  }

  void allocate(pool::Pool& pool) {
    Bytes bytes;
    if (chance(2)) {
      bytes.resize(1 + prng_.below(pool.segment_size()));
      prng_.fill(bytes.data(), bytes.size());
    }
    creating_ = bytes;
    const auto id = bytes.empty() ? pool.allocate() : pool.write_segment(bytes);
    if (!id && id.error().code == ErrorCode::no_space) {
      creating_.reset();
      return;
    }
    if (!good(id, "allocate")) return;
    const auto size = pool.size_of(*id);
    if (!good(size, "size_of")) return;
    creating_.reset();
    world_.note(fmt::format("segment {} is there", id->value));
    add_segment(*id, *size, bytes);
  }

  void add_segment(SegmentId id, std::size_t size, const Bytes& bytes) {
    SegmentModel& model = segments_.emplace(id, KnownSegment{SegmentModel(size)}).first->second.model;
    if (bytes.empty()) return;
    model.begin_write(0, bytes);
    model.end_write(0, bytes.size(), 0);
    model.flushed(0);
  }

  void remove_one(pool::Pool& pool) {
    auto it = segments_.begin();
    std::advance(it, prng_.below(segments_.size()));
    it->second.removing = true;
    count("removal");
    world_.note(fmt::format("segment {} is being removed", it->first.value));
    if (good(pool.remove(it->first), "remove")) segments_.erase(it);
  }

  /// Clients write different blocks: those of a run of eight belong to one of them.
  void run_client(pool::Pool& pool, unsigned client, unsigned count, base::Prng prng) {
    const std::uint64_t steps = 5 + prng.below(60);
    for (std::uint64_t step = 0; step < steps && !crashed_ && !failure_; ++step) {
      ++operations_;
      auto it = segments_.begin();
      std::advance(it, prng.below(segments_.size()));
      SegmentModel& model = it->second.model;
      const std::size_t run_size = 8 * 4096;
      const std::size_t runs = (model.size() + run_size - 1) / run_size;
      const std::size_t run = prng.below(runs) / count * count + client;
      if (run >= runs) continue;
      const std::size_t end = std::min(model.size(), (run + 1) * run_size);
      std::size_t offset = run * run_size + prng.below(end - run * run_size);
      std::size_t length = 1 + prng.below(std::min<std::size_t>(end - offset, prng.below(2) == 0 ? 600 : 20000));
      if (prng.below(2) == 0) {
        offset = offset / 4096 * 4096;
        length = std::min(end - offset, (length + 4095) / 4096 * 4096);
      }
      switch (prng.below(8)) {
        case 0:
          flush(pool);
          break;
        case 1:
        case 2:
          read(pool, it->first, model, offset, length);
          break;
        default:
          write(pool, it->first, model, offset, length, prng);
      }
    }
  }

  void flush(pool::Pool& pool) {
    const Moment moment = moment_;
    if (good(pool.flush(), "flush"))
      for (auto& [id, segment] : segments_) segment.model.flushed(moment);
  }

  void read(pool::Pool& pool, SegmentId id, SegmentModel& model, std::size_t offset, std::size_t length) {
    Bytes bytes(length);
    if (good(pool.read(id, offset, bytes), "read") && !crashed_ && bytes != model.bytes(offset, length))
      fail(fmt::format("segment {}: {} bytes from {} on are read wrong", id.value, length, offset));
  }

  void write(pool::Pool& pool, SegmentId id, SegmentModel& model, std::size_t offset, std::size_t length,
             base::Prng& prng) {
    Bytes bytes(length);
    prng.fill(bytes.data(), length);
    model.begin_write(offset, bytes);
    if (good(pool.write(id, offset, bytes), "write")) model.end_write(offset, length, ++moment_);
  }

  /// Everything is healed: nothing may be amiss.
  void check_end(pool::Pool& pool) {
    const auto status = pool.status();
    for (unsigned i = 0; i < status.devices.size(); ++i)
      if (status.devices[i] != pool::DeviceState::in && !tainted_.contains(i))
        fail(fmt::format("device {} is not in at the end", i));
    for (const bool settled : {false, true}) {
      for (const auto& [id, segment] : segments_) {
        if (!good(pool.verify(id), settled ? "verify after settling" : "verify")) return;
        Bytes bytes(segment.model.size());
        if (!good(pool.read(id, 0, bytes), "the last read")) return;
        if (bytes != segment.model.bytes(0, bytes.size())) fail(fmt::format("segment {} has changed", id.value));
      }
      if (!settled && !good(pool.settle(), "settle")) return;
    }
  }

  base::Prng prng_;
  simenv::SimWorld world_;
  Shape shape_;
  std::vector<std::unique_ptr<simenv::SimDisk>> disks_;
  std::size_t budget_ = 0;
  std::set<unsigned> absent_;
  std::set<unsigned> out_;
  std::set<unsigned> tainted_;  ///< Devices that something has befallen since the world began.
  std::optional<std::pair<unsigned, simenv::SparsePages>> stale_;
  std::map<SegmentId, KnownSegment> segments_;
  std::optional<Bytes> creating_;  ///< A segment of these bytes may be there that nobody was told of.
  bool crashed_ = false;
  std::uint64_t epoch_ = 0;
  Moment moment_ = 0;
  std::uint64_t operations_ = 0;
  std::map<std::string, std::uint64_t> events_;
  std::optional<std::string> failure_;
};

}  // namespace

WorldResult run_world(std::uint64_t seed, std::ostream* trace) { return World(seed, trace).run(); }

}  // namespace parapet::sim

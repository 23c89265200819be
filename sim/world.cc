#include "sim/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/prng.h"
#include "pool/pool.h"
#include "sim/attack.h"
#include "sim/model.h"
#include "sim/power_cut.h"
#include "sim/profile.h"
#include "sim/request.h"
#include "sim/shape.h"
#include "simenv/sim_disk.h"

namespace parapet::sim {
namespace {

using layout::SegmentId;

constexpr std::size_t segments_max = 6;  ///< So many fit on every shape's devices, and are rebuilt.

/// A segment of the world, and who knows what about it.
struct KnownSegment {
  SegmentModel model;
  bool removing = false;  ///< Its removal was begun and not acknowledged.
};

class World {
 public:
  World(std::uint64_t seed, std::ostream* trace)
      : prng_(seed ^ 0x5eed),
        world_(seed),
        profile_(profile_of(seed)),
        shape_(Shape::any(prng_)),
        budget_(shape_.budget()) {
    world_.trace(trace);
    world_.note(profile_.name);
    for (unsigned i = 0; i < shape_.devices; ++i)
      disks_.push_back(std::make_unique<simenv::SimDisk>(world_, 8 << 20, fmt::format("d{}", i)));
    world_.observe_io([this] {
      if (cut_.count_io()) crash();
    });
  }

  WorldResult run() {
    world_.run([&] {
      create();
      const std::uint64_t rounds = 1 + prng_.below(profile_.rounds_max);
      for (std::uint64_t i = 0; i < rounds && !failure_; ++i) round(false);
      if (!failure_) round(true);
    });
    WorldResult result;
    if (failure_) result.failure = fmt::format("{} ({}, {})", *failure_, profile_.name, shape_.text());
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
  [[nodiscard]] bool over() const { return crashed_ || failure_; }
  bool chance(unsigned one_in) { return prng_.below(one_in) == 0; }
  bool percent(unsigned share) { return prng_.below(100) < share; }
  void count(std::string_view event) { ++events_[std::string(event)]; }

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
    if (!last && !starving()) choose_victims();
    cut_.cancel();
    if (!last && percent(profile_.crash)) plan_crash();
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
    cut_.begin(Operation::open);
    pool::OpenOptions options;
    options.cache_size = chance(2) ? 0 : 8 * 4096;
    options.loaded_segments_max = prng_.below(3);
    auto opened = pool::Pool::open(world_, present, options);
    served_ = false;
    if (present.size() < shape_.majority()) return expect_refusal(opened.has_value());
    if (starving() && !opened && opened.error().code == ErrorCode::too_many_losses) return;
    if (!good(opened, "open")) return;
    pool::Pool& pool = **opened;
    world_.note("open");
    if (starving()) return serve_in_famine(pool);
    served_ = true;
    update_out(pool);
    for (unsigned device : out_) world_.note(fmt::format("device {} is out", device));
    if (!last && percent(profile_.idle)) return idle(pool);
    if (!check_segments(pool)) return;
    if (last || percent(profile_.restore)) restore_all(pool);
    if (last || percent(profile_.repair)) repair_all(pool);
    if (percent(profile_.verify)) verify_all(pool, "verify early");
    if (last) return check_end(pool);
    run_clients(pool);
    if (over()) return;
    if (percent(profile_.settle)) settle(pool);
    flush(pool);
  }

  /// Nobody asks for anything, or only to see what is there.
  void idle(pool::Pool& pool) {
    count("idle round");
    if (chance(2) && !check_segments(pool)) return;
    if (percent(profile_.crash)) crash();
  }

  void expect_refusal(bool opened) {
    count("minority");
    if (opened && !crashed_) fail("a minority of the devices opens the pool");
  }

  void choose_absent(bool last) {
    absent_.clear();
    if (last) return;
    if (bad_count() == 0 && percent(profile_.minority)) {
      while (absent_.size() < shape_.devices - shape_.majority() + 1) absent_.insert(any_device());
    } else if (bad_count() <= budget_) {
      // A device that was away stays out until it is restored: it counts against what may be missing.
      for (std::size_t i = bad_count(); i < budget_; ++i)
        if (percent(profile_.absence)) {
          absent_.insert(any_device());
          count("absence");
        }
      for (unsigned device : out_)
        if (percent(profile_.absence)) absent_.insert(device);
      if (famine_allowed() && percent(profile_.famine)) {
        count("famine");
        while (absent_.size() < shape_.devices - shape_.majority()) absent_.insert(any_device());
      }
    }
    for (unsigned device : absent_) world_.note(fmt::format("device {} is absent", device));
    if (shape_.devices - absent_.size() >= shape_.majority()) out_.insert(absent_.begin(), absent_.end());
  }

  unsigned any_device() { return static_cast<unsigned>(prng_.below(disks_.size())); }

  /// What is wrong with devices must have been seen, and must be such as can be seen.
  [[nodiscard]] bool famine_allowed() const {
    return tainted_.empty() || (served_ && std::ranges::all_of(profile_.attacks, shows));
  }

  /// More devices are bad than the code can do without, so there may be errors; but nothing wrong.
  [[nodiscard]] bool starving() const { return bad_count() > budget_ && !(absent_.empty() && tainted_.empty()); }

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
    while (bad_count() < budget_ && percent(profile_.attack)) {
      const unsigned device = any_device();
      if (out_.contains(device) || tainted_.contains(device)) continue;
      tainted_.insert(device);
      attack(device, profile_.attacks[prng_.below(profile_.attacks.size())]);
    }
  }

  void attack(unsigned device, Attack attack) {
    count(name_of(attack));
    world_.note(fmt::format("device {} suffers: {}", device, name_of(attack)));
    if (attack == Attack::death) {
      const std::uint64_t epoch = epoch_;
      world_.scheduler().at(world_.now() + env::Time(prng_.below(30'000'000)), [this, epoch, device] {
        if (epoch == epoch_) disks_[device]->set_dead(true);
      });
    } else if (attack == Attack::stale) {
      stale_ = {device, disks_[device]->durable()};
    } else {
      begin(attack, *disks_[device], prng_);
    }
  }

  void plan_crash() {
    if (!profile_.crash_in.empty()) {
      cut_.plan(profile_.crash_in[prng_.below(profile_.crash_in.size())],
                prng_.below(std::uint64_t{2} << prng_.below(9)));
      return;
    }
    const std::uint64_t epoch = epoch_;
    // Most often early: there are opening, filling and the first commits.
    const std::uint64_t span = chance(2) ? 5'000'000 : 60'000'000;
    world_.scheduler().at(world_.now() + env::Time(prng_.below(span)), [this, epoch] {
      if (epoch == epoch_) crash();
    });
  }

  void crash() {
    if (crashed_) return;
    count("crash");
    power_off();
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
    cut_.begin(Operation::restore);
    const auto status = pool.status();
    for (unsigned i = 0; i < status.devices.size(); ++i) {
      if (status.devices[i] != pool::DeviceState::out) continue;
      count("restore");
      const auto restored = pool.restore(i);
      if (!restored && !tainted_.contains(i) && !good(restored, "restore")) return;
    }
    update_out(pool);
  }

  void repair_all(pool::Pool& pool) {
    cut_.begin(Operation::repair);
    for (const auto& [id, segment] : segments_)
      if (!good(pool.scrub(id), "scrub")) return;
    good(pool.repair(), "repair");
  }

  /// Where a device was damaged, parity may be wrong until it is repaired.
  void verify_all(pool::Pool& pool, std::string_view what) {
    if (!tainted_.empty()) return;
    for (const auto& [id, segment] : segments_)
      if (!good(pool.verify(id), what)) return;
  }

  void settle(pool::Pool& pool) {
    count("settling");
    cut_.begin(Operation::settle);
    const auto settled = pool.settle();
    if (tainted_.empty()) good(settled, "settle");
  }

  void serve_in_famine(pool::Pool& pool) {
    check_what_is_served(pool);
    if (absent_.empty())
      for (unsigned device : out_) (void)pool.restore(device);
    if (absent_.empty()) update_out(pool);
  }

  /// What can be read of the segments that are known is right.
  void check_what_is_served(pool::Pool& pool) {
    for (auto& [id, segment] : segments_) {
      Bytes bytes(segment.model.size());
      if (const auto read = pool.read(id, 0, bytes); !read) {
        if (read.error().code != ErrorCode::too_many_losses && read.error().code != ErrorCode::not_found)
          good(read, "a read with too few devices");
        continue;
      }
      count("segment served in a famine");
      if (const auto wrong = segment.model.settle(bytes)) return fail(fmt::format("segment {}: {}", id.value, *wrong));
    }
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
      if ((segments_.size() < 2 || (segments_.size() < segments_max && chance(4))) && !over()) allocate(pool);
    if (segments_.empty()) return;
    const unsigned count = 1 + static_cast<unsigned>(prng_.below(3));
    std::vector<std::unique_ptr<env::Thread>> clients;
    for (unsigned client = 0; client < count; ++client)
      clients.push_back(world_.start_thread("client", [this, &pool, client, count, seed = prng_()] {
        run_client(pool, client, count, base::Prng(seed));
      }));
    if (percent(profile_.put_out))
      clients.push_back(
          world_.start_thread("operator", [this, &pool, seed = prng_()] { run_operator(pool, base::Prng(seed)); }));
    clients.clear();
    if (percent(profile_.remove) && !segments_.empty() && !over()) remove_one(pool);
  }

  /// In the middle of all, restores what is out, or puts a device out.
  void run_operator(pool::Pool& pool, base::Prng prng) {
    world_.sleep_until(world_.now() + env::Time(prng.below(1'000'000) << prng.below(6)));
    if (over()) return;
    if (!out_.empty() && prng.below(2) == 0) {
      count("restore under load");
      return restore_all(pool);
    }
    if (bad_count() >= budget_) return;
    unsigned device = any_device();
    while (out_.contains(device) || tainted_.contains(device)) device = (device + 1) % shape_.devices;
    out_.insert(device);
    count("put out");
    cut_.begin(Operation::put_out);
    good(pool.put_out(device), "put out");
  }

  void allocate(pool::Pool& pool) {
    cut_.begin(Operation::create);
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
    cut_.begin(Operation::remove);
    count("removal");
    world_.note(fmt::format("segment {} is being removed", it->first.value));
    if (good(pool.remove(it->first), "remove")) segments_.erase(it);
  }

  void run_client(pool::Pool& pool, unsigned client, unsigned count, base::Prng prng) {
    const std::uint64_t steps = 1 + (prng.below(profile_.steps_max) >> prng.below(4));
    for (std::uint64_t step = 0; step < steps && !over(); ++step) {
      ++operations_;
      auto it = segments_.begin();
      std::advance(it, prng.below(segments_.size()));
      SegmentModel& model = it->second.model;
      const Request request = Request::any(profile_, model.size(), client, count, prng);
      switch (request.kind) {
        case Request::Kind::none:
          break;
        case Request::Kind::flush:
          flush(pool);
          break;
        case Request::Kind::read:
          read(pool, it->first, model, request.offset, request.length);
          break;
        case Request::Kind::write:
          write(pool, it->first, model, request.offset, request.length, prng);
      }
    }
  }

  void flush(pool::Pool& pool) {
    const Moment moment = moment_;
    cut_.begin(Operation::flush);
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
    cut_.begin(Operation::write);
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
  const Profile& profile_;
  Shape shape_;
  std::vector<std::unique_ptr<simenv::SimDisk>> disks_;
  std::size_t budget_;
  PowerCut cut_;
  std::set<unsigned> absent_;
  std::set<unsigned> out_;
  std::set<unsigned> tainted_;  ///< Devices that something has befallen since the world began.
  std::optional<std::pair<unsigned, simenv::SparsePages>> stale_;
  std::map<SegmentId, KnownSegment> segments_;
  std::optional<Bytes> creating_;  ///< A segment of these bytes may be there that nobody was told of.
  bool crashed_ = false;
  bool served_ = true;  ///< The last opening came to its end.
  std::uint64_t epoch_ = 0;
  Moment moment_ = 0;
  std::uint64_t operations_ = 0;
  std::map<std::string, std::uint64_t> events_;
  std::optional<std::string> failure_;
};

}  // namespace

WorldResult run_world(std::uint64_t seed, std::ostream* trace) { return World(seed, trace).run(); }

}  // namespace parapet::sim

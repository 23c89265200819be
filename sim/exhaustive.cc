#include "sim/exhaustive.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <unordered_set>
#include <utility>

#include "base/prng.h"
#include "sim/crash_point.h"
#include "sim/known_segments.h"

namespace parapet::sim {
namespace {

using simenv::mix;

constexpr std::uint64_t disk_size = 2 << 20;
constexpr std::uint32_t chunk_size = 16 << 10;
constexpr std::uint64_t log_size = 256 << 10;
constexpr std::size_t failures_max = 20;
/// After the last operation: time in which movers do what they want to.
constexpr env::Time rest = std::chrono::milliseconds(30);

using Disks = std::vector<std::unique_ptr<simenv::SimDisk>>;

/// What a crash left, and what was known then.
struct CrashState {
  DiskImages images;
  KnownSegments known;
  std::uint64_t hash = 0;
  std::vector<CrashChoice> path;  ///< How one gets here.
};

Disks make_disks(simenv::SimWorld& world, unsigned count, const DiskImages& images) {
  Disks disks;
  for (unsigned i = 0; i < count; ++i) {
    disks.push_back(std::make_unique<simenv::SimDisk>(world, disk_size, fmt::format("d{}", i)));
    if (!images.empty()) disks.back()->restore(images[i]->bytes);
  }
  return disks;
}

/// One power-on: handles of all disks.
struct Boot {
  explicit Boot(const Disks& disks) {
    for (const auto& disk : disks) {
      disk->power_on();
      handles.push_back(disk->boot());
      present.push_back(handles.back().get());
    }
  }
  std::vector<std::unique_ptr<env::Disk>> handles;
  std::vector<env::Disk*> present;
};

std::string current_state;  // For `report_state_on_abort`.

void print_current_state(int) {
  std::fprintf(stderr, "exploring %s\n", current_state.c_str());
  std::signal(SIGABRT, SIG_DFL);
}

/// Collects the states that crashes of one world may leave.
class Recorder {
 public:
  Recorder(simenv::SimWorld& world, const Disks& disks, const KnownSegments& known,
           std::unordered_set<std::uint64_t>& seen, ExploreCounts& counts)
      : world_(world), disks_(disks), known_(known), seen_(seen), counts_(counts) {}
  ~Recorder() { world_.observe_io(nullptr); }

  void start(std::vector<CrashChoice> path) {
    path_ = std::move(path);
    world_.observe_io([this] { crash(); });
  }
  void stop() { world_.observe_io(nullptr); }
  /// Only this crash.
  void choose(CrashChoice only) { only_ = only; }
  /// The power may fail now.
  void crash() {
    const std::uint64_t event = event_++;
    if (only_ && only_->event != event) return;
    ++counts_.crashes;
    const std::uint64_t known = known_.hash();
    if (const std::uint64_t now = mix(known, hash_of_unflushed()); std::exchange(last_, now) == now && !only_) return;
    CrashPoint point(disks_);
    for (std::uint64_t choice = 0; choice < point.choice_count(); ++choice)
      if (!only_ || only_->choice == choice) add(point.images(choice), known, {event, choice});
  }
  [[nodiscard]] std::vector<CrashState> take() { return std::move(states_); }

 private:
  /// As long as nothing starts or ends being undecided, crashes leave the same.
  [[nodiscard]] std::uint64_t hash_of_unflushed() const {
    std::uint64_t hash = 0;
    for (const auto& disk : disks_) {
      for (const auto& write : disk->unflushed()) hash = mix(mix(hash, write.offset), write.size);
      hash = mix(hash, ~std::uint64_t{0});
    }
    return hash;
  }

  void add(DiskImages images, std::uint64_t known, CrashChoice crash) {
    ++counts_.states;
    std::uint64_t hash = known;
    for (const auto& image : images) hash = mix(hash, image->hash);
    if (!seen_.insert(hash).second && !only_) return;
    ++counts_.distinct_states;
    std::vector<CrashChoice> path = path_;
    path.push_back(crash);
    states_.push_back({std::move(images), known_, hash, std::move(path)});
  }

  simenv::SimWorld& world_;
  const Disks& disks_;
  const KnownSegments& known_;
  std::unordered_set<std::uint64_t>& seen_;
  ExploreCounts& counts_;
  std::vector<CrashChoice> path_;
  std::optional<CrashChoice> only_;
  std::uint64_t event_ = 0;
  std::uint64_t last_ = 0;
  std::vector<CrashState> states_;
};

/// Leaves `count` of the states, chosen by their hashes.
void sample(std::vector<CrashState>& states, std::size_t count) {
  if (states.size() <= count) return;
  const auto by_hash = [](const CrashState& a, const CrashState& b) { return mix(1, a.hash) < mix(1, b.hash); };
  std::ranges::nth_element(states, states.begin() + static_cast<std::ptrdiff_t>(count), by_hash);
  states.erase(states.begin() + static_cast<std::ptrdiff_t>(count), states.end());
}

std::string text_of(std::span<const CrashChoice> path) {
  std::string text;
  for (const CrashChoice& crash : path) text += fmt::format(" {} {}", crash.event, crash.choice);
  return text;
}

/// The operations of a workload, one after the other.
class Client {
 public:
  Client(pool::Pool& pool, KnownSegments& known, unsigned code_k) : pool_(pool), known_(known), k_(code_k) {}

  /// What fails, or nothing.
  std::optional<std::string> run(char operation, std::uint64_t seed) {
    constexpr std::size_t block = 4096;
    switch (operation) {
      case 'w':
        return write(block + 700, 500, seed);
      case 'b':
        return write(block, block, seed);
      case 'x':
        return k_ == 1 ? write(2 * block - 300, 600, seed) : write(unit() - 300, 600, seed);
      case 'e':
        return write(0, ~std::size_t{0}, seed);
      case 'f':
        return covered(pool_.flush(), "flush");
      case 's':
        return covered(pool_.settle(), "settle");
      case 'r':
        return remove();
      default:
        return allocate();
    }
  }

 private:
  /// Where the second chunk's bytes begin.
  [[nodiscard]] std::size_t unit() const { return chunk_size; }

  std::optional<std::string> write(std::size_t offset, std::size_t size, std::uint64_t seed) {
    const auto id = known_.first();
    if (!id) return std::nullopt;
    Bytes bytes(std::min(size, known_.size_of(*id) - offset));
    base::Prng(seed).fill(bytes.data(), bytes.size());
    known_.begin_write(*id, offset, bytes);
    const auto written = pool_.write(*id, offset, bytes);
    if (!written) return fmt::format("write fails: {}", written.error().message());
    known_.end_write(*id, offset, bytes.size());
    return std::nullopt;
  }
  std::optional<std::string> covered(const Result<void>& result, std::string_view what) {
    if (!result) return fmt::format("{} fails: {}", what, result.error().message());
    known_.flushed();
    return std::nullopt;
  }
  std::optional<std::string> remove() {
    const auto id = known_.first();
    if (!id) return std::nullopt;
    known_.begin_remove(*id);
    const auto removed = pool_.remove(*id);
    if (!removed) return fmt::format("remove fails: {}", removed.error().message());
    known_.end_remove(*id);
    return std::nullopt;
  }
  std::optional<std::string> allocate() {
    known_.begin_allocate();
    const auto id = pool_.allocate();
    if (!id && id.error().code == ErrorCode::no_space) {
      known_.refuse_allocate();
      return std::nullopt;
    }
    if (!id) return fmt::format("allocate fails: {}", id.error().message());
    const auto size = pool_.size_of(*id);
    if (!size) return fmt::format("size_of fails: {}", size.error().message());
    known_.end_allocate(*id, *size);
    return std::nullopt;
  }

  pool::Pool& pool_;
  KnownSegments& known_;
  unsigned k_;
};

std::optional<std::string> check_devices(pool::Pool& pool) {
  const auto status = pool.status();
  if (!status.closed.empty()) return fmt::format("segment {:#x} is closed", status.closed.front().value);
  if (!status.damaged_logs.empty()) return fmt::format("the log of device {} is damaged", status.damaged_logs.front());
  for (std::size_t i = 0; i < status.devices.size(); ++i)
    if (status.devices[i] != pool::DeviceState::in) return fmt::format("device {} is not in", i);
  return std::nullopt;
}

/// What an open pool must be after any crash without faults of disks.
std::optional<std::string> check(pool::Pool& pool, KnownSegments& known) {
  if (auto wrong = known.settle(pool)) return wrong;
  if (auto wrong = check_devices(pool)) return wrong;
  for (layout::SegmentId id : pool.segments()) {
    const auto verified = pool.verify(id);
    if (!verified) return fmt::format("verify of segment {:#x} fails: {}", id.value, verified.error().message());
  }
  return std::nullopt;
}

}  // namespace

std::vector<SmallPool> small_pools() {
  std::vector<SmallPool> pools;
  for (const auto& [code, devices] :
       {std::pair{"rs(2,1)", 3u}, std::pair{"xrs(2,2)", 4u}, std::pair{"replication(1,2)", 3u}})
    for (const auto scheme : {pool::Scheme::fo, pool::Scheme::fl, pool::Scheme::pl, pool::Scheme::plr})
      pools.push_back({code, devices, scheme});
  return pools;
}

std::string name_of(const SmallPool& pool) {
  return fmt::format("{} on {} devices, scheme {}", pool.code, pool.devices, pool::name_of(pool.scheme));
}

std::vector<std::string> workloads_of(std::size_t length) {
  std::vector<std::string> workloads = {""};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<std::string> longer;
    for (const std::string& workload : workloads)
      for (char operation : all_operations) longer.push_back(workload + operation);
    workloads = std::move(longer);
  }
  return workloads;
}

void report_state_on_abort() { std::signal(SIGABRT, print_current_state); }

class Exploration::Run {
 public:
  Run(unsigned number, const ExploreLimits& limits)
      : number_(number), pool_(small_pools().at(number)), k_(Code::parse(pool_.code).value().k()), limits_(limits) {}

  /// The states that crashes of a workload may leave; those of one crash when `only` is set.
  std::vector<CrashState> crash_workload(std::string_view workload, std::optional<CrashChoice> only) {
    current_state = fmt::format("pool {} workload {}", number_, workload);
    return workload == creation ? crash_creation(only) : crash_operations(workload, only);
  }

  void prepare() {
    if (base_.images.empty()) (void)crash_creation(CrashChoice{~std::uint64_t{0}, 0});
  }

  void explore(std::string_view workload) {
    ++counts_.workloads;
    std::vector<CrashState> states = crash_workload(workload, std::nullopt);
    sample(states, limits_.states_per_workload);
    for (CrashState& state : states) {
      if (counts_.failures.size() >= failures_max) return;
      const bool twice = mix(2, state.hash) % limits_.recovery_one_in == 0;
      std::vector<CrashState> second = recover(workload, state, twice, std::nullopt);
      sample(second, limits_.states_per_recovery);
      for (CrashState& again : second) {
        ++counts_.second_crashes;
        (void)recover(workload, again, false, std::nullopt);
      }
    }
  }

  bool replay(std::string_view workload, std::span<const CrashChoice> crashes) {
    std::vector<CrashState> states = crash_workload(workload, crashes[0]);
    for (std::size_t i = 1; i < crashes.size() && !states.empty(); ++i)
      states = recover(workload, states[0], true, crashes[i]);
    if (states.empty()) return false;
    (void)recover(workload, states[0], false, std::nullopt);
    return true;
  }

  ExploreCounts& counts() { return counts_; }

 private:
  void fail(std::string_view workload, std::span<const CrashChoice> path, std::string_view what) {
    counts_.failures.push_back(
        fmt::format("{}: {} (--replay {} {}{})", name_of(pool_), what, number_, workload, text_of(path)));
  }

  std::vector<CrashState> crash_creation(std::optional<CrashChoice> only) {
    simenv::SimWorld world(1, simenv::ScheduleOptions::calm());
    const Disks disks = make_disks(world, pool_.devices, {});
    KnownSegments known;
    Recorder recorder(world, disks, known, seen_, counts_);
    if (only) recorder.choose(*only);
    recorder.start({});
    world.run([&] {
      const auto wrong = create(world, disks, known, recorder);
      if (wrong) fail(creation, {}, *wrong);
    });
    recorder.stop();
    base_.known = known;
    base_.images = CrashPoint(disks).images(0);
    return recorder.take();
  }

  /// A pool with one segment, which is not all zeros.
  std::optional<std::string> create(simenv::SimWorld& world, const Disks& disks, KnownSegments& known,
                                    Recorder& recorder) {
    const Boot boot(disks);
    if (auto wrong = format(world, boot, known)) return wrong;
    recorder.crash();
    const auto pool = pool::Pool::open(world, boot.present, {});
    if (!pool) return fmt::format("the first open fails: {}", pool.error().message());
    Client client(**pool, known, k_);
    std::uint64_t seed = 0;
    for (char operation : {'a', 'e', 'f'}) {
      if (auto wrong = client.run(operation, ++seed)) return wrong;
      recorder.crash();
    }
    world.sleep_until(world.now() + rest);
    return std::nullopt;
  }

  std::optional<std::string> format(simenv::SimWorld& world, const Boot& boot, KnownSegments& known) {
    const auto made = pool::Pool::create(world, boot.present, {pool_.code, chunk_size, pool_.scheme, log_size});
    if (!made) return fmt::format("create fails: {}", made.error().message());
    known.end_create();
    return std::nullopt;
  }

  std::vector<CrashState> crash_operations(std::string_view workload, std::optional<CrashChoice> only) {
    simenv::SimWorld world(2, simenv::ScheduleOptions::calm());
    const Disks disks = make_disks(world, pool_.devices, base_.images);
    KnownSegments known = base_.known;
    Recorder recorder(world, disks, known, seen_, counts_);
    if (only) recorder.choose(*only);
    world.run([&] {
      const auto wrong = operate(world, disks, known, recorder, workload);
      if (wrong) fail(workload, {}, *wrong);
    });
    return recorder.take();
  }

  std::optional<std::string> operate(simenv::SimWorld& world, const Disks& disks, KnownSegments& known,
                                     Recorder& recorder, std::string_view workload) {
    const Boot boot(disks);
    {
      const auto pool = pool::Pool::open(world, boot.present, {});
      if (!pool) return fmt::format("open fails: {}", pool.error().message());
      Client client(**pool, known, k_);
      for (std::size_t i = 0; i < workload.size(); ++i) {
        if (i + 1 == workload.size()) recorder.start({});
        if (auto wrong = client.run(workload[i], 100 + i)) return wrong;
      }
      recorder.crash();
      world.sleep_until(world.now() + rest);
      KnownSegments seen = known;  // What is read need not be durable.
      if (auto wrong = check(**pool, seen)) return wrong;
    }
    recorder.crash();
    return std::nullopt;
  }

  /// Opens and checks what a crash left, then once more; the states that crashes meanwhile may leave, if `record`.
  std::vector<CrashState> recover(std::string_view workload, CrashState& state, bool record,
                                  std::optional<CrashChoice> only) {
    current_state = fmt::format("--replay {} {}{}", number_, workload, text_of(state.path));
    ++counts_.recoveries;
    simenv::SimWorld world(state.hash, simenv::ScheduleOptions::calm());
    const Disks disks = make_disks(world, pool_.devices, state.images);
    KnownSegments known = state.known;
    Recorder recorder(world, disks, known, seen_, counts_);
    if (only) recorder.choose(*only);
    if (record) recorder.start(state.path);
    world.run([&] {
      auto wrong = open_and_check(world, disks, known, false);
      recorder.stop();
      if (!wrong)
        if ((wrong = open_and_check(world, disks, known, true))) *wrong += " (opened once more)";
      if (wrong) fail(workload, state.path, *wrong);
    });
    return recorder.take();
  }

  /// From power-on to power-off.
  std::optional<std::string> open_and_check(simenv::SimWorld& world, const Disks& disks, KnownSegments& known,
                                            bool settle) {
    const Boot boot(disks);
    auto pool = pool::Pool::open(world, boot.present, {.background = false});
    // What a crash left of a pool that was being made may be none, or lack a device; then it can be made again.
    if (!known.created() && (!pool || check_devices(**pool))) {
      if (pool) pool->reset();
      if (auto wrong = format(world, boot, known)) return wrong;
      pool = pool::Pool::open(world, boot.present, {.background = false});
    }
    if (!pool) return fmt::format("open fails: {}", pool.error().message());
    auto wrong = check(**pool, known);
    if (!wrong && settle) {
      if (const auto settled = (*pool)->settle(); !settled)
        wrong = fmt::format("settle fails: {}", settled.error().message());
      else if ((wrong = check(**pool, known)))
        *wrong += " (after settling)";
    }
    for (const auto& disk : disks) disk->power_off();
    return wrong;
  }

  unsigned number_;
  SmallPool pool_;
  unsigned k_;
  ExploreLimits limits_;
  CrashState base_;  ///< Where workloads begin.
  std::unordered_set<std::uint64_t> seen_;
  ExploreCounts counts_;
};

Exploration::Exploration(unsigned pool_number, const ExploreLimits& limits)
    : run_(std::make_unique<Run>(pool_number, limits)) {}

Exploration::~Exploration() = default;

void Exploration::explore_creation() { run_->explore(creation); }

void Exploration::explore(std::string_view workload) {
  run_->prepare();
  run_->explore(workload);
}

bool Exploration::replay(std::string_view workload, std::vector<CrashChoice> crashes) {
  run_->prepare();
  return run_->replay(workload, crashes);
}

const ExploreCounts& Exploration::counts() const { return run_->counts(); }

}  // namespace parapet::sim

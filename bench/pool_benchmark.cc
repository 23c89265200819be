#include "bench/pool_benchmark.h"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>

#include "base/try.h"
#include "bench/machine.h"
#include "bench/pool_scaling.h"
#include "bench/pool_tables.h"
#include "os/real_world.h"

namespace parapet::bench {
namespace {

constexpr std::uint64_t mib = 1 << 20;
constexpr std::uint64_t fresh_log_factor = 2;
/// Of a device for each byte of its chunks: tags, reserves, homes that parity is folded into.
constexpr double space_factor = 1.75;
/// Appending ends after so many times the segments that are overwritten, if it lasts that long.
constexpr std::size_t append_factor = 4;

/// What all schemes share.
struct Bench {
  const PoolBenchmarkOptions& options;
  Code code;
  unsigned device_count;
  os::RealWorld& world;
  Noise noise;
  std::unique_ptr<ReferenceFiles> raw_file;
  std::unique_ptr<ReferenceFiles> all_files;
};

Result<void, Failure> check_options(const PoolBenchmarkOptions& options) {
  PARAPET_TRY(const Code code, make_code(options.code));
  if (options.device_count != 0 && options.device_count < code.n())
    return fmt::format("{} needs {} devices", options.code, code.n());
  if (options.thread_count == 0 || options.thread_count > 64) return Failure("1 to 64 threads can be measured");
  if (options.rounds == 0) return Failure("at least one round is needed");
  if (!(options.seconds > 0)) return Failure("a run takes more than 0 seconds");
  if (options.segment_count == 0) return Failure("at least one segment is needed");
  if (options.schemes.empty()) return Failure("no scheme is named");
  if (options.log_size < 2 * mib || options.log_size % mib != 0)
    return Failure("the log is a multiple of 1 MiB, and 2 MiB at least");
  return {};
}

RigOptions rig_options(const Bench& bench, pool::Scheme scheme, LogState state) {
  const PoolBenchmarkOptions& options = bench.options;
  const std::size_t appended = append_factor * options.segment_count;
  const double chunks = static_cast<double>(2 * options.segment_count + appended) * bench.code.n() / bench.device_count;
  const std::uint64_t log_size = state == LogState::fresh ? options.log_size * fresh_log_factor : options.log_size;
  const auto space = static_cast<std::uint64_t>(chunks * space_factor + 16) * mib;
  return {.bed = {.device_count = bench.device_count,
                  .device_size = log_size + space,
                  .create = {.code = options.code, .scheme = scheme, .log_size = log_size}},
          .state = state,
          .seconds = options.seconds,
          .segment_count = options.segment_count,
          .append_segment_count = appended};
}

Result<void, Failure> run_reference(const Bench& bench, const Reference& reference, ReferenceSeries& series) {
  ReferenceFiles& files = reference.on_all_devices ? *bench.all_files : *bench.raw_file;
  PARAPET_TRY(Timing threads, files.run_threads(reference.load, bench.options.seconds));
  series.threads.push_back(std::move(threads));
  if (bench.world.io_engine() != os::IoEngine::ring) return {};
  PARAPET_TRY(Timing ring, files.run_ring(reference.load, bench.options.seconds));
  series.ring.push_back(std::move(ring));
  return {};
}

/// One round of a group: each load, then the case in each state.
Result<void, Failure> run_round(const Bench& bench, std::vector<std::unique_ptr<Rig>>& rigs, GroupSeries& series) {
  for (std::size_t i = 0; i < series.references.size(); ++i)
    PARAPET_CHECK(run_reference(bench, series.group.references[i], series.references[i]));
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    PARAPET_TRY(CaseRun run, rigs[i]->run(series.group.pool_case));
    series.cases[i].runs.push_back(std::move(run));
  }
  return {};
}

/// The groups that were asked for. A scan needs what an append has written.
std::vector<GroupSeries> groups_of(const Bench& bench) {
  std::vector<GroupSeries> groups;
  for (Group& group : pool_groups(bench.code, bench.options.thread_count)) {
    const std::string& only = bench.options.only;
    if (!only.empty() && group.pool_case.key != only && !(only == "scan" && group.pool_case.key == "append")) continue;
    GroupSeries series;
    series.references.resize(group.references.size());
    series.cases = {{LogState::fresh, {}}, {LogState::steady, {}}};
    series.group = std::move(group);
    groups.push_back(std::move(series));
  }
  return groups;
}

Result<SchemeSeries, Failure> run_scheme(const Bench& bench, pool::Scheme scheme, std::string& mode) {
  SchemeSeries series{std::string(pool::name_of(scheme)), groups_of(bench)};
  bench.options.announce(fmt::format("{}: making pools", series.scheme));
  std::vector<std::unique_ptr<Rig>> rigs;
  for (const LogState state : {LogState::fresh, LogState::steady}) {
    PARAPET_TRY(auto rig, Rig::make(bench.world, bench.options.on, bench.noise, rig_options(bench, scheme, state)));
    rigs.push_back(std::move(rig));
  }
  mode = rigs.front()->mode();
  for (unsigned round = 0; round < bench.options.rounds; ++round) {
    for (GroupSeries& group : series.groups) {
      bench.options.announce(fmt::format("{}, round {} of {}: {}", series.scheme, round + 1, bench.options.rounds,
                                         group.group.pool_case.title));
      PARAPET_CHECK(run_round(bench, rigs, group));
    }
  }
  for (const auto& rig : rigs) PARAPET_CHECK(rig->check_after_reopening());
  return series;
}

Result<Bench, Failure> set_up(os::RealWorld& world, const PoolBenchmarkOptions& options) {
  PARAPET_TRY(const Code code, make_code(options.code));
  Bench bench{.options = options,
              .code = code,
              .device_count = std::max(options.device_count, code.n()),
              .world = world,
              .noise = Noise(mib * code.k()),
              .raw_file = nullptr,
              .all_files = nullptr};
  options.announce("writing reference files");
  const std::uint64_t size = std::max<std::uint64_t>(options.segment_count, 16) * mib;
  PARAPET_TRY(bench.raw_file, ReferenceFiles::make(world, options.on, 1, size * code.k()));
  PARAPET_TRY(bench.all_files, ReferenceFiles::make(world, options.on, bench.device_count, size));
  return bench;
}

std::vector<Fact> facts_of(const PoolBenchmarkOptions& options, const std::string& mode) {
  std::vector<Fact> facts = machine_facts();
  facts.push_back({"code", "code", options.code});
  if (!mode.empty()) facts.push_back({"devices", "devices", "files on one file system, " + mode});
  return facts;
}

std::vector<std::string> method_of(const PoolBenchmarkOptions& options) {
  return {fmt::format("Loads and pools take turns in {} round{} of {} s each; rates and processor times are medians of "
                      "the rounds, percentiles of all operations.",
                      options.rounds, options.rounds == 1 ? "" : "s", options.seconds),
          fmt::format("Overwrites go to blocks chosen by chance in {} segments that were written before.",
                      options.segment_count),
          "Durable: each write is followed by a flush. Without: one flush in the end, in the time.",
          fmt::format("Log fresh: {} MiB on each device, empty at the start. Steady: {} MiB, which go round at least "
                      "twice, and in the end everything is moved to its place, in the time.",
                      options.log_size * fresh_log_factor / mib, options.log_size / mib),
          "Ceiling: m+1 durable writes of 4 KiB at once to as many files, for each update. Of threads and ring the "
          "faster one counts.",
          "After each run samples are read back and compared, and parity of segments is verified; in the end once more "
          "in the pool opened again."};
}

}  // namespace

Result<Report, Failure> run_pool_benchmark(const PoolBenchmarkOptions& options) {
  PARAPET_CHECK(check_options(options));
  os::RealWorld world;
  Report report{.title = "Pool benchmark", .machine = {}, .method = method_of(options), .tables = {}};
  std::string mode;
  if (!options.only_scaling) {
    PARAPET_TRY(const Bench bench, set_up(world, options));
    std::vector<SchemeSeries> schemes;
    for (const pool::Scheme scheme : options.schemes) {
      PARAPET_TRY(SchemeSeries series, run_scheme(bench, scheme, mode));
      schemes.push_back(std::move(series));
    }
    report.tables = {floor_table(schemes, mode == "in memory"), limit_table(schemes), operation_table(schemes),
                     reference_table(schemes), device_table(schemes, bench.device_count)};
  }
  if (!options.scaling.empty()) {
    PARAPET_TRY(Table sizes, pool_size_table(world, options));
    PARAPET_TRY(Table openings, log_size_table(world, options));
    report.tables.push_back(std::move(sizes));
    report.tables.push_back(std::move(openings));
  }
  report.machine = facts_of(options, mode);
  return report;
}

}  // namespace parapet::bench

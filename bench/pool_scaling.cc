#include "bench/pool_scaling.h"

#include <fmt/format.h>
#include <malloc.h>

#include <filesystem>

#include "base/try.h"
#include "bench/pool_area.h"
#include "bench/pool_series.h"

namespace parapet::bench {
namespace {

constexpr std::size_t block = 4096;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;
constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::size_t left_updates = 1000;  ///< In the logs of a pool that is opened.
constexpr std::size_t left_segments = 256;  ///< Of so many segments at most.
/// Of a device for each byte of its chunks: tags, reserves, homes that parity is folded into.
constexpr double space_factor = 1.3;

/// What is allocated, but for I/O buffers: what waits in the logs and what is cached has bounds of its own.
std::uint64_t heap_bytes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

BedOptions bed_options(const PoolBenchmarkOptions& options, std::uint64_t pool_size, std::uint64_t log_size) {
  const Code code = Code::parse(options.code).value();
  const unsigned device_count = std::max(options.device_count, code.n());
  const double chunks = static_cast<double>(pool_size) / code.k() * code.n() / device_count;
  const std::uint64_t size = static_cast<std::uint64_t>(chunks * space_factor) + log_size + 64 * mib;
  return {.device_count = device_count,
          .device_size = size / mib * mib,
          .create = {.code = options.code, .scheme = options.schemes.front(), .log_size = log_size}};
}

Result<bool, Failure> has_space(const std::string& path, const BedOptions& bed) {
  std::error_code error;
  const auto space = std::filesystem::space(path, error);
  if (error) return fmt::format("cannot ask the free space of {}", path);
  return space.available > bed.device_size * bed.device_count + 2 * gib;
}

/// Durable writes of blocks chosen by chance.
Result<Timing, Failure> time_updates(PoolBed& bed, Area& area, double seconds) {
  base::Prng random(3);
  TimedWork work;
  work.seconds = seconds;
  work.operation = [&](unsigned) -> Result<bool, Failure> {
    PARAPET_CHECK(area.write(random.below(area.item_count())));
    PARAPET_CHECK(or_failure(bed.pool().flush(), "flushing"));
    return true;
  };
  return time_work(work);
}

/// The same ones in a pool of any size.
Result<void, Failure> leave_updates(PoolBed& bed, Area& area) {
  const std::size_t items = std::min(area.item_count(), left_segments * area.item_count() / area.segment_count());
  base::Prng random(4);
  for (std::size_t i = 0; i < left_updates; ++i) PARAPET_CHECK(area.write(random.below(items)));
  return or_failure(bed.pool().flush(), "flushing");
}

struct Opening {
  double open_ms = 0;
  double first_read_ms = 0;
};

/// A pool is closed without moving anything on: what its devices hold is the same as after a kill.
Result<Opening, Failure> time_opening(PoolBed& bed, Area& area) {
  bed.close();
  const Stopwatch opening;
  PARAPET_CHECK(bed.open({.background = false}));
  Opening times;
  times.open_ms = opening.seconds() * 1e3;
  std::vector<std::uint8_t> bytes(area.item_size());
  const Stopwatch reading;
  PARAPET_CHECK(area.read(0, bytes));
  times.first_read_ms = reading.seconds() * 1e3;
  PARAPET_CHECK(area.check_items(1000));
  return times;
}

Result<Row, Failure> pool_size_row(PoolBed& bed, const Noise& noise, const PoolBenchmarkOptions& options,
                                   std::uint64_t size) {
  Area area(bed, noise, block);
  const std::uint64_t before = heap_bytes();
  const Stopwatch allocating;
  std::uint64_t allocated = 0;
  while (allocated < size) {
    PARAPET_CHECK(area.grow());
    allocated = area.item_count() * block;
  }
  const auto segments = static_cast<double>(area.segment_count());
  const double allocate_ms = allocating.seconds() * 1e3 / segments;
  PARAPET_CHECK(or_failure(bed.pool().settle(), "settling"));
  // What the benchmark itself remembers of each item is no cost of the pool.
  const double memory = static_cast<double>(heap_bytes() - before) - static_cast<double>(area.item_count() * 4);
  PARAPET_TRY(const Timing updates, time_updates(bed, area, options.seconds));
  const Summary summary = summary_of({&updates});
  PARAPET_CHECK(area.check_items(1000));
  PARAPET_CHECK(or_failure(bed.pool().settle(), "settling"));
  PARAPET_CHECK(leave_updates(bed, area));
  PARAPET_TRY(const Opening opening, time_opening(bed, area));
  return Row{fmt::format("{} MiB", size / mib),
             segments,
             allocate_ms,
             memory / segments / 1024,
             summary.rate,
             summary.p50_us,
             summary.p99_us,
             summary.user_us,
             summary.system_us,
             opening.open_ms,
             opening.first_read_ms};
}

}  // namespace

Result<Table, Failure> pool_size_table(os::RealWorld& world, const PoolBenchmarkOptions& options) {
  Table table{
      .key = "pool_size",
      .title = "Growing pools",
      .note = fmt::format("Segments allocated and settled, then durable 4 KiB updates all over them by one writer. "
                          "Then {} updates of at most {} segments are left in the logs, and the pool is opened: "
                          "what its devices hold is the same as after a kill. Memory: the heap without I/O buffers.",
                          left_updates, left_segments),
      .columns = {{"size", "size"},
                  {"segments", "segments"},
                  {"allocate_ms", "allocate ms", 2},
                  {"memory_kib", "memory KiB/segment", 1},
                  {"rate", "updates 1/s"},
                  {"p50_us", "p50 us"},
                  {"p99_us", "p99 us"},
                  {"user_us", "user us", 1},
                  {"system_us", "sys us", 1},
                  {"open_ms", "open ms", 1},
                  {"first_read_ms", "first read ms", 2}},
      .rows = {}};
  const Noise noise(block);
  for (const std::uint64_t size : options.scaling) {
    options.announce(fmt::format("a pool of {} MiB", size / mib));
    const BedOptions bed_of_size = bed_options(options, size, 64 * mib);
    PARAPET_TRY(const bool fits, has_space(options.on, bed_of_size));
    if (!fits) {
      table.note += fmt::format(" {} MiB were left out: not enough free space.", size / mib);
      continue;
    }
    PARAPET_TRY(const auto bed, PoolBed::make(world, options.on, bed_of_size));
    PARAPET_TRY(Row row, pool_size_row(*bed, noise, options, size));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Result<Table, Failure> log_size_table(os::RealWorld& world, const PoolBenchmarkOptions& options) {
  constexpr std::size_t segment_count = 64;
  constexpr std::size_t updates_max = 64'000;
  Table table{.key = "log_opening",
              .title = "Opening with updates in the logs",
              .note = fmt::format("4 KiB updates of {} segments, nothing moved on.", segment_count),
              .columns = {{"updates", "updates"},
                          {"log_mib", "MiB in each log", 1},
                          {"open_ms", "open ms", 1},
                          {"first_read_ms", "first read ms", 2}},
              .rows = {}};
  const Noise noise(block);
  PARAPET_TRY(const auto bed, PoolBed::make(world, options.on, bed_options(options, gib, 256 * mib)));
  PARAPET_CHECK(bed->open({.background = false}));
  Area area(*bed, noise, block);
  for (std::size_t i = 0; i < segment_count; ++i) PARAPET_CHECK(area.grow());
  base::Prng random(5);
  std::size_t updates = 0;
  const std::size_t most = std::min<std::size_t>(updates_max, options.scaling.back() / block / 4);
  for (const std::size_t wanted : {std::size_t{0}, most / 16, most / 4, most}) {
    options.announce(fmt::format("opening with {} updates in the logs", wanted));
    for (; updates < wanted; ++updates) {
      PARAPET_CHECK(area.write(random.below(area.item_count())));
      if (updates % 64 == 63) PARAPET_CHECK(or_failure(bed->pool().flush(), "flushing"));
    }
    PARAPET_CHECK(or_failure(bed->pool().flush(), "flushing"));
    const double used = static_cast<double>(bed->pool().space_use(0)->log_used) / static_cast<double>(mib);
    PARAPET_TRY(const Opening opening, time_opening(*bed, area));
    table.rows.push_back({static_cast<double>(wanted), used, opening.open_ms, opening.first_read_ms});
  }
  return table;
}

}  // namespace parapet::bench

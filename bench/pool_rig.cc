#include "bench/pool_rig.h"

#include <algorithm>

#include "base/try.h"

namespace parapet::bench {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr double log_turns_wanted = 2;
constexpr std::size_t checked_bytes = 16 * mib;
constexpr std::size_t verified_segments = 3;

}  // namespace

const char* name_of(LogState state) { return state == LogState::fresh ? "fresh" : "steady"; }

Result<std::unique_ptr<Rig>, Failure> Rig::make(os::RealWorld& world, const std::string& parent, const Noise& noise,
                                                const RigOptions& options) {
  PARAPET_TRY(auto bed, PoolBed::make(world, parent, options.bed));
  std::unique_ptr<Rig> rig(new Rig(std::move(bed), noise, options));
  PARAPET_CHECK(rig->fill());
  return rig;
}

Rig::Rig(std::unique_ptr<PoolBed> bed, const Noise& noise, const RigOptions& options)
    : options_(options),
      bed_(std::move(bed)),
      small_(*bed_, noise, 4 * kib),
      large_(*bed_, noise, 128 * kib),
      sequential_(*bed_, noise, bed_->pool().segment_size()),
      bytes_(mib) {}

/// In large pieces, though it will be overwritten in small ones.
Result<void, Failure> Rig::fill() {
  for (Area* area : {&small_, &large_}) {
    for (std::size_t i = 0; i < options_.segment_count; ++i) PARAPET_CHECK(area->grow());
    PARAPET_CHECK(area->write_all());
  }
  return settle();
}

Area& Rig::area_for(const PoolCase& pool_case) {
  if (pool_case.kind != PoolCase::Kind::overwrite) return sequential_;
  return pool_case.item_size == small_.item_size() ? small_ : large_;
}

Result<void, Failure> Rig::settle() { return or_failure(bed_->pool().settle(), "settling"); }

Result<CaseRun, Failure> Rig::run(const PoolCase& pool_case) {
  Area& area = area_for(pool_case);
  if (pool_case.kind == PoolCase::Kind::append) PARAPET_CHECK(area.clear());
  PARAPET_CHECK(settle());
  next_part_ = 0;
  const std::vector<Written> before = bed_->written();
  TimedWork work = work_of(pool_case, area);
  // New segments hardly touch the logs.
  if (options_.state == LogState::steady && pool_case.kind == PoolCase::Kind::overwrite) {
    work.enough = [&] { return log_turns_since(before) >= log_turns_wanted; };
    work.last = [&] { return settle(); };
  }
  CaseRun run;
  PARAPET_TRY(run.timing, time_work(work));
  const std::vector<Written> after = bed_->written();
  for (std::size_t i = 0; i < after.size(); ++i) run.device_bytes.push_back(after[i].bytes - before[i].bytes);
  run.log_turns = log_turns_since(before);
  PARAPET_CHECK(check(area));
  return run;
}

TimedWork Rig::work_of(const PoolCase& pool_case, Area& area) {
  TimedWork work{.thread_count = pool_case.thread_count, .seconds = options_.seconds, .operation = {}};
  while (random_.size() < pool_case.thread_count) random_.emplace_back(random_.size());
  switch (pool_case.kind) {
    case PoolCase::Kind::overwrite:
      work.operation = [this, &pool_case, &area](unsigned thread) -> Result<bool, Failure> {
        PARAPET_CHECK(overwrite(pool_case, area, thread));
        return true;
      };
      break;
    case PoolCase::Kind::append:
      work.operation = [this, &area](unsigned) { return append(area); };
      break;
    case PoolCase::Kind::scan:
      work.operation = [this, &area](unsigned) -> Result<bool, Failure> {
        PARAPET_CHECK(scan(area));
        return true;
      };
      break;
  }
  if (!pool_case.flush_each && pool_case.kind != PoolCase::Kind::scan)
    work.last = [this] { return or_failure(bed_->pool().flush(), "flushing"); };
  return work;
}

/// Each thread has items of its own, all over the area.
Result<void, Failure> Rig::overwrite(const PoolCase& pool_case, Area& area, unsigned thread) {
  const std::size_t turn = random_[thread].below(area.item_count() / pool_case.thread_count);
  PARAPET_CHECK(area.write(turn * pool_case.thread_count + thread));
  if (!pool_case.flush_each) return {};
  return or_failure(bed_->pool().flush(), "flushing");
}

Result<bool, Failure> Rig::append(Area& area) const {
  if (area.segment_count() == options_.append_segment_count) return false;
  PARAPET_CHECK(area.append());
  return true;
}

Result<void, Failure> Rig::scan(Area& area) {
  const std::size_t parts = area.item_size() / bytes_.size();
  const std::size_t part = next_part_++ % (area.item_count() * parts);
  return area.read(part / parts, bytes_, part % parts * bytes_.size());
}

double Rig::log_turns_since(const std::vector<Written>& before) const {
  const std::vector<Written> now = bed_->written();
  std::uint64_t least = UINT64_MAX;
  for (std::size_t i = 0; i < now.size(); ++i) least = std::min(least, now[i].log_bytes - before[i].log_bytes);
  return static_cast<double>(least) / static_cast<double>(options_.bed.create.log_size);
}

Result<void, Failure> Rig::check(Area& area) {
  PARAPET_CHECK(area.check_items(checked_bytes / area.item_size()));
  return area.verify_segments(verified_segments);
}

Result<void, Failure> Rig::check_after_reopening() {
  PARAPET_CHECK(bed_->open({}));
  for (Area* area : {&small_, &large_, &sequential_}) PARAPET_CHECK(check(*area));
  return {};
}

}  // namespace parapet::bench

// A pool with the areas that cases work on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/pool_area.h"
#include "bench/pool_case.h"
#include "bench/pool_timing.h"

namespace parapet::bench {

/// What the timed part includes.
enum class LogState : std::uint8_t {
  fresh,   ///< The log has room for all of it; moving may go on afterwards.
  steady,  ///< The log went round at least twice, and in the end everything was moved to its place.
};
const char* name_of(LogState state);

struct RigOptions {
  BedOptions bed;
  LogState state = LogState::fresh;
  double seconds = 1;
  std::size_t segment_count = 1;         ///< That are overwritten, for each size of item.
  std::size_t append_segment_count = 1;  ///< That one run of appending makes, at most.
};

/// One run of a case.
struct CaseRun {
  Timing timing;
  std::vector<std::uint64_t> device_bytes;  ///< Written, by device.
  double log_turns = 0;                     ///< Of the log that went round least.
};

class Rig {
 public:
  /// Makes the pool and writes all that will be overwritten once. `world` and `noise` outlive it.
  static Result<std::unique_ptr<Rig>, Failure> make(os::RealWorld& world, const std::string& parent, const Noise& noise,
                                                    const RigOptions& options);

  /// Runs the case, then reads samples back and verifies segments.
  Result<CaseRun, Failure> run(const PoolCase& pool_case);
  /// Opens the pool again and looks at samples of everything.
  Result<void, Failure> check_after_reopening();

  [[nodiscard]] const RigOptions& options() const { return options_; }
  [[nodiscard]] std::string mode() const { return bed_->mode(); }

 private:
  Rig(std::unique_ptr<PoolBed> bed, const Noise& noise, const RigOptions& options);
  Area& area_for(const PoolCase& pool_case);
  Result<void, Failure> fill();
  Result<void, Failure> settle();
  Result<void, Failure> check(Area& area);
  [[nodiscard]] double log_turns_since(const std::vector<Written>& before) const;
  [[nodiscard]] TimedWork work_of(const PoolCase& pool_case, Area& area);
  Result<void, Failure> overwrite(const PoolCase& pool_case, Area& area, unsigned thread);
  Result<bool, Failure> append(Area& area) const;
  Result<void, Failure> scan(Area& area);

  RigOptions options_;
  std::unique_ptr<PoolBed> bed_;
  Area small_, large_, sequential_;
  std::vector<base::Prng> random_;  ///< By thread.
  std::size_t next_part_ = 0;       ///< Of the sequential area.
  std::vector<std::uint8_t> bytes_;
};

}  // namespace parapet::bench

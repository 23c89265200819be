// How long a simulated disk takes for an operation, in virtual time. Figures are typical data-sheet values of the
// middle 2020s, not those of one product.
#pragma once

#include <cstdint>
#include <memory>

#include "base/prng.h"
#include "env/disk.h"
#include "env/time.h"

namespace parapet::simenv {

/// One disk's model: remembers what the disk is busy with.
class ServiceTime {
 public:
  virtual ~ServiceTime() = default;
  /// When an operation that arrives at `now` will be done. `now` does not go back from call to call.
  virtual env::Time done_at(const env::Io& io, env::Time now, base::Prng& prng) = 0;
  /// The power has failed: the disk is busy with nothing any more.
  virtual void power_off() = 0;
};

/// 1 to 200 us for any operation, by the seed and without regard to others, so that operations overtake each other: for
/// the search for faults.
std::unique_ptr<ServiceTime> random_service_time();

/// 7200 rpm: a seek of 0.5 ms to the next track up to 16 ms over the full stroke (8 ms on average), then half a
/// rotation of 8.33 ms on average, then 200 MB/s; one operation at a time in order of arrival. An operation that goes
/// on where the last one ended needs no seek or rotation (read-ahead). A cache of 64 MiB takes writes at 550 MB/s and
/// empties in the background; a flush waits until it is empty.
std::unique_ptr<ServiceTime> hard_disk_service_time(std::uint64_t disk_size);

/// SATA: read 80 us, write into the cache 30 us, flush 500 us, 32 operations at a time, 530 MB/s reads, 500 MB/s
/// writes.
std::unique_ptr<ServiceTime> sata_ssd_service_time();

/// NVMe: read 70 us, write into the cache 15 us, flush 20 us, 128 operations at a time, 6 GB/s reads, 4 GB/s writes.
std::unique_ptr<ServiceTime> nvme_ssd_service_time();

}  // namespace parapet::simenv

// The C API of pools: converts the arguments, calls the C++ API, converts what comes back.
#include "parapet/pool_c.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "codec/codec_c_arguments.h"
#include "layout/ids.h"
#include "library/directories.h"
#include "parapet/pool.h"

struct parapet_pool {
  parapet::Pool pool;
};

struct parapet_pool_status {
  explicit parapet_pool_status(parapet::PoolStatus status);

  parapet::PoolStatus of;  ///< Owns the strings.
  std::vector<parapet_device_status> devices;
  std::vector<parapet_unusable_device> unusable;
  std::vector<std::uint64_t> closed;
};

namespace parapet::library {
namespace {

using codec::Arguments;

static_assert(static_cast<int>(UpdateScheme::full_overwrite) == PARAPET_SCHEME_FULL_OVERWRITE);
static_assert(static_cast<int>(UpdateScheme::full_logging) == PARAPET_SCHEME_FULL_LOGGING);
static_assert(static_cast<int>(UpdateScheme::parity_logging) == PARAPET_SCHEME_PARITY_LOGGING);
static_assert(static_cast<int>(UpdateScheme::parity_logging_reserved) == PARAPET_SCHEME_PARITY_LOGGING_RESERVED);
static_assert(static_cast<int>(DeviceState::in) == PARAPET_DEVICE_IN);
static_assert(static_cast<int>(DeviceState::out) == PARAPET_DEVICE_OUT);
static_assert(static_cast<int>(DeviceState::absent) == PARAPET_DEVICE_ABSENT);

constexpr const char* null_pointer = "a required pointer is null";

Result<std::vector<std::string>, PoolError> strings(const Arguments& arguments, const char* const* directories,
                                                    std::size_t count) {
  const auto wrong = [&](const char* reason) {
    return about({}, arguments.wrong(reason, count, pool_device_count_max));
  };
  if (count > pool_device_count_max) return wrong("{} device directories are given; a pool has at most {}");
  if (count > 0 && directories == nullptr) return wrong(null_pointer);
  std::vector<std::string> converted;
  for (std::size_t i = 0; i < count; ++i) {
    if (directories[i] == nullptr) return wrong(null_pointer);
    converted.emplace_back(directories[i]);
  }
  return converted;
}

Result<PoolCreateOptions, PoolError> options_of(const Arguments& arguments,
                                                const parapet_pool_create_options* options) {
  if (options == nullptr) return PoolCreateOptions();
  if (options->code == nullptr) return about({}, arguments.wrong(null_pointer));
  if (options->scheme < 0 || options->scheme > PARAPET_SCHEME_PARITY_LOGGING_RESERVED)
    return about({}, arguments.wrong("the update scheme is not known"));
  return PoolCreateOptions{.code = options->code,
                           .chunk_size = options->chunk_size,
                           .scheme = static_cast<UpdateScheme>(options->scheme),
                           .log_size = options->log_size,
                           .device_size = options->device_size,
                           .allow_shared_disk = options->allow_shared_disk != 0};
}

PoolOpenOptions options_of(const parapet_pool_open_options* options) {
  if (options == nullptr) return {};
  // More than fits in nanoseconds is more than is allowed, too.
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000;
  return {.commit_interval = std::chrono::milliseconds(std::min(options->commit_interval_ms, most)),
          .commit_size = options->commit_size};
}

template <class T>
const T* share(const std::vector<T>* items, std::size_t* count) {
  if (count == nullptr) return nullptr;
  *count = items == nullptr ? 0 : items->size();
  return items == nullptr ? nullptr : items->data();
}

/// The same for every call that only may fail.
template <class Call>
int call(const char* operation, parapet_pool* pool, parapet_error* error, Call body) {
  return codec::guarded(error, [&]() -> Result<void> {
    const Arguments arguments(operation);
    PARAPET_CHECK(arguments.check_not_null({pool}));
    return body(pool->pool, arguments);
  });
}

}  // namespace
}  // namespace parapet::library

using parapet::Pool;
using parapet::PoolError;
using parapet::Result;
using parapet::SegmentId;
using parapet::codec::Arguments;
using parapet::codec::guarded;
using parapet::library::call;
using parapet::library::share;

parapet_pool_status::parapet_pool_status(parapet::PoolStatus status) : of(std::move(status)) {
  for (const parapet::DeviceStatus& device : of.devices)
    devices.push_back({static_cast<int>(device.state), device.directory.c_str(), device.free, device.used,
                       device.log_size, device.log_used});
  for (const parapet::UnusableDevice& device : of.unusable)
    unusable.push_back({device.directory.c_str(), device.reason.c_str()});
  for (const SegmentId segment : of.closed) closed.push_back(segment.value);
}

parapet_pool_create_options parapet_pool_default_create_options(void) {
  static const parapet::PoolCreateOptions defaults;
  return {defaults.code.c_str(), defaults.chunk_size,  static_cast<int>(defaults.scheme),
          defaults.log_size,     defaults.device_size, defaults.allow_shared_disk ? 1 : 0};
}

parapet_pool_open_options parapet_pool_default_open_options(void) {
  const parapet::PoolOpenOptions defaults;
  const auto interval = std::chrono::duration_cast<std::chrono::milliseconds>(defaults.commit_interval);
  return {static_cast<std::uint64_t>(interval.count()), defaults.commit_size};
}

int parapet_pool_create(const char* const* directories, size_t directory_count,
                        const parapet_pool_create_options* options, parapet_error* error) {
  return guarded(error, [&]() -> Result<void, PoolError> {
    const Arguments arguments("create pool");
    PARAPET_TRY(const auto paths, parapet::library::strings(arguments, directories, directory_count));
    PARAPET_TRY(const auto converted, parapet::library::options_of(arguments, options));
    return Pool::create(paths, converted);
  });
}

int parapet_pool_open(const char* const* directories, size_t directory_count, const parapet_pool_open_options* options,
                      parapet_pool** pool, parapet_error* error) {
  return guarded(error, [&]() -> Result<void, PoolError> {
    const Arguments arguments("open pool");
    if (pool == nullptr) return parapet::library::about({}, arguments.wrong(parapet::library::null_pointer));
    PARAPET_TRY(const auto paths, parapet::library::strings(arguments, directories, directory_count));
    PARAPET_TRY(Pool opened, Pool::open(paths, parapet::library::options_of(options)));
    *pool = new parapet_pool{std::move(opened)};
    return {};
  });
}

int parapet_pool_close(parapet_pool* pool, parapet_error* error) {
  const int outcome =
      guarded(error, [&]() -> Result<void> { return pool == nullptr ? Result<void>() : pool->pool.close(); });
  delete pool;
  return outcome;
}

int parapet_pool_allocate(parapet_pool* pool, uint64_t* segment, parapet_error* error) {
  return call("allocate", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({segment}));
    PARAPET_TRY(const SegmentId made, of.allocate());
    *segment = made.value;
    return {};
  });
}

int parapet_pool_write_segment(parapet_pool* pool, parapet_const_region bytes, uint64_t* segment,
                               parapet_error* error) {
  return call("write segment", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({segment}));
    PARAPET_TRY(const auto region, arguments.convert(bytes));
    PARAPET_TRY(const SegmentId made, of.write_segment(region));
    *segment = made.value;
    return {};
  });
}

uint64_t parapet_pool_segment_size(const parapet_pool* pool) { return pool == nullptr ? 0 : pool->pool.segment_size(); }

int parapet_pool_size_of(parapet_pool* pool, uint64_t segment, uint64_t* size, parapet_error* error) {
  return call("size of", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({size}));
    PARAPET_TRY(*size, of.size_of({segment}));
    return {};
  });
}

int parapet_pool_write(parapet_pool* pool, uint64_t segment, uint64_t offset, parapet_const_region bytes,
                       parapet_error* error) {
  return call("write", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_TRY(const auto region, arguments.convert(bytes));
    return of.write({segment}, offset, region);
  });
}

int parapet_pool_read(parapet_pool* pool, uint64_t segment, uint64_t offset, parapet_region bytes,
                      parapet_error* error) {
  return call("read", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_TRY(const auto region, arguments.convert(bytes));
    return of.read({segment}, offset, region);
  });
}

int parapet_pool_flush(parapet_pool* pool, parapet_error* error) {
  return call("flush", pool, error, [](Pool& of, const Arguments&) { return of.flush(); });
}

int parapet_pool_remove(parapet_pool* pool, uint64_t segment, parapet_error* error) {
  return call("remove", pool, error, [&](Pool& of, const Arguments&) { return of.remove({segment}); });
}

int parapet_pool_segments(parapet_pool* pool, uint64_t* segments, size_t capacity, size_t* count,
                          parapet_error* error) {
  return call("segments", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({count}));
    if (capacity > 0) PARAPET_CHECK(arguments.check_not_null({segments}));
    const std::vector<SegmentId> all = of.segments();
    *count = all.size();
    for (std::size_t i = 0; i < std::min(capacity, all.size()); ++i) segments[i] = all[i].value;
    return {};
  });
}

int parapet_pool_restore(parapet_pool* pool, unsigned device, parapet_error* error) {
  return call("restore", pool, error, [&](Pool& of, const Arguments&) { return of.restore(device); });
}

int parapet_pool_put_out(parapet_pool* pool, unsigned device, parapet_error* error) {
  return call("put out", pool, error, [&](Pool& of, const Arguments&) { return of.put_out(device); });
}

int parapet_pool_repair(parapet_pool* pool, parapet_error* error) {
  return call("repair", pool, error, [](Pool& of, const Arguments&) { return of.repair(); });
}

int parapet_pool_scrub(parapet_pool* pool, uint64_t segment, unsigned* damaged, size_t damaged_capacity,
                       size_t* damaged_count, parapet_error* error) {
  return call("scrub", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({damaged, damaged_count}));
    PARAPET_CHECK(arguments.check_room(damaged_capacity, parapet::layout::holder_count_max));
    PARAPET_TRY(const parapet::ChunkSet found, of.scrub({segment}));
    *damaged_count = found.count();
    for (const unsigned chunk : found) *damaged++ = chunk;
    return {};
  });
}

int parapet_pool_get_status(parapet_pool* pool, parapet_pool_status** status, parapet_error* error) {
  return call("status", pool, error, [&](Pool& of, const Arguments& arguments) -> Result<void> {
    PARAPET_CHECK(arguments.check_not_null({status}));
    *status = new parapet_pool_status(of.status());
    return {};
  });
}

void parapet_pool_status_free(parapet_pool_status* status) { delete status; }

const parapet_device_status* parapet_pool_status_devices(const parapet_pool_status* status, size_t* count) {
  return share(status == nullptr ? nullptr : &status->devices, count);
}

const parapet_unusable_device* parapet_pool_status_unusable(const parapet_pool_status* status, size_t* count) {
  return share(status == nullptr ? nullptr : &status->unusable, count);
}

const uint64_t* parapet_pool_status_closed(const parapet_pool_status* status, size_t* count) {
  return share(status == nullptr ? nullptr : &status->closed, count);
}

const unsigned* parapet_pool_status_damaged_logs(const parapet_pool_status* status, size_t* count) {
  return share(status == nullptr ? nullptr : &status->of.damaged_logs, count);
}

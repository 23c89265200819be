// The public pool: the engine's, on real directories.
#include "parapet/pool.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/try.h"
#include "library/directories.h"
#include "library/new_devices.h"
#include "library/pool_devices.h"
#include "os/real_world.h"
#include "pool/pool.h"
#include "store/store.h"

namespace parapet {

static_assert(pool_device_count_max == layout::device_count_max);
static_assert(static_cast<int>(UpdateScheme::full_overwrite) == static_cast<int>(pool::Scheme::fo));
static_assert(static_cast<int>(UpdateScheme::full_logging) == static_cast<int>(pool::Scheme::fl));
static_assert(static_cast<int>(UpdateScheme::parity_logging) == static_cast<int>(pool::Scheme::pl));
static_assert(static_cast<int>(UpdateScheme::parity_logging_reserved) == static_cast<int>(pool::Scheme::plr));

namespace {

constexpr const char* create_operation = "create pool";
constexpr std::chrono::nanoseconds commit_interval_max = std::chrono::hours(24);

Error wrong(const char* operation, const char* reason, std::uint64_t value = 0) {
  return {.code = ErrorCode::invalid_argument, .operation = operation, .reason = reason, .values = {value}};
}

Result<pool::CreateOptions, PoolError> checked(std::size_t device_count, const PoolCreateOptions& options) {
  if (options.scheme > UpdateScheme::parity_logging_reserved)
    return library::about({}, wrong(create_operation, "the update scheme is not known"));
  if (options.device_size == 0 || options.device_size % env::io_alignment != 0) {
    return library::about(
        {}, wrong(create_operation, "the device size must be a positive multiple of {} bytes", env::io_alignment));
  }
  pool::CreateOptions made;
  made.code = options.code;
  // What does not fit is too large anyway.
  made.chunk_size =
      static_cast<std::uint32_t>(std::min<std::size_t>(options.chunk_size, std::numeric_limits<std::uint32_t>::max()));
  made.scheme = static_cast<pool::Scheme>(options.scheme);
  made.log_size = options.log_size;
  const std::vector<std::uint64_t> sizes(device_count, options.device_size);
  if (const auto outcome = pool::Pool::check(sizes, made); !outcome) return library::about({}, outcome.error());
  return made;
}

/// Only a raw disk may hold something, and only something that is no device of a pool.
Result<void> check_unused(os::RealWorld& world, env::Disk& disk) {
  const auto found = store::Store::identify(world, disk);
  if (!found && (found.error().code == ErrorCode::not_found)) return {};
  if (!found && (found.error().code == ErrorCode::io_failed)) return found.error();
  return Error{.code = ErrorCode::already_exists,
               .operation = create_operation,
               .reason = "it holds a device of a pool; wipe the first {} bytes if nobody needs it",
               .values = {layout::superblock_area_size}};
}

Result<void, PoolError> format(std::span<const std::string> directories, const pool::CreateOptions& options) {
  os::RealWorld world;
  std::vector<os::DeviceDirectory> devices;
  std::vector<env::Disk*> disks;
  for (const std::string& directory : directories) {
    auto device = os::DeviceDirectory::open(world, directory);
    if (!device) return library::about(directory, device.error());
    if (const auto unused = check_unused(world, device->disk()); !unused)
      return library::about(directory, unused.error());
    disks.push_back(&device->disk());
    devices.push_back(std::move(*device));
  }
  if (const auto made = pool::Pool::create(world, disks, options); !made) return library::about({}, made.error());
  return {};
}

Result<void> check_host(const char* operation, const ConstRegion& region) {
  if (region.memory.kind != MemoryKind::host)
    return Error{.code = ErrorCode::unsupported,
                 .operation = operation,
                 .reason = "the bytes are in device memory; copy them to the host first"};
  if (region.data == nullptr && region.size > 0) return wrong(operation, "the buffer is null");
  return {};
}

DeviceState public_state(pool::DeviceState state) {
  switch (state) {
    case pool::DeviceState::in:
      return DeviceState::in;
    case pool::DeviceState::out:
      return DeviceState::out;
    default:
      return DeviceState::absent;
  }
}

std::vector<SegmentId> public_ids(std::span<const layout::SegmentId> ids) {
  std::vector<SegmentId> converted;
  for (const layout::SegmentId id : ids) converted.push_back({id.value});
  return converted;
}

}  // namespace

/// Members end in the opposite order: the engine before its disks, and those before their world.
struct Pool::Impl {
  os::RealWorld world;
  library::PoolDevices devices;
  std::unique_ptr<pool::Pool> engine;

  static Result<pool::Pool*> engine_of(const std::unique_ptr<Impl>& impl, const char* operation) {
    if (impl == nullptr) return wrong(operation, "the pool is closed");
    return impl->engine.get();
  }
  void describe(unsigned ordinal, DeviceStatus& status) const;
};

Result<void, PoolError> Pool::create(std::span<const std::string> directories, const PoolCreateOptions& options) {
  PARAPET_CHECK(library::check_list(create_operation, directories));
  PARAPET_TRY(const pool::CreateOptions engine_options, checked(directories.size(), options));
  if (!options.allow_shared_disk) PARAPET_CHECK(library::check_apart(create_operation, directories));
  library::NewDevices devices;
  PARAPET_CHECK(devices.make(directories, options.device_size));
  PARAPET_CHECK(format(directories, engine_options));
  devices.keep();
  return {};
}

Result<Pool, PoolError> Pool::open(std::span<const std::string> directories, const PoolOpenOptions& options) {
  if (options.commit_interval <= std::chrono::nanoseconds(0) || options.commit_interval > commit_interval_max)
    return library::about({}, wrong("open pool", "the commit interval must be positive, and 24 hours at most"));
  auto impl = std::make_unique<Impl>();
  PARAPET_TRY(impl->devices, library::PoolDevices::open(impl->world, directories));
  std::vector<env::Disk*> disks;
  for (const auto& member : impl->devices.members) disks.push_back(&member.device.disk());
  auto engine = pool::Pool::open(impl->world, disks,
                                 {.commit_interval = options.commit_interval, .commit_size = options.commit_size});
  if (!engine) return library::about({}, engine.error());
  impl->engine = std::move(*engine);
  return Pool(std::move(impl));
}

Pool::Pool(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pool::Pool(Pool&& other) noexcept = default;
Pool& Pool::operator=(Pool&& other) noexcept = default;
Pool::~Pool() = default;

Result<void> Pool::close() {
  const Result<void> outcome = flush();
  impl_.reset();
  return outcome;
}

Result<SegmentId> Pool::allocate() {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "allocate"));
  PARAPET_TRY(const layout::SegmentId id, engine->allocate());
  return SegmentId{id.value};
}

Result<SegmentId> Pool::write_segment(ConstRegion bytes) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "write segment"));
  PARAPET_CHECK(check_host("write segment", bytes));
  PARAPET_TRY(const layout::SegmentId id, engine->write_segment({bytes.data, bytes.size}));
  return SegmentId{id.value};
}

std::uint64_t Pool::segment_size() const { return impl_ == nullptr ? 0 : impl_->engine->segment_size(); }

Result<std::uint64_t> Pool::size_of(SegmentId segment) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "size of"));
  return engine->size_of({segment.value});
}

Result<void> Pool::write(SegmentId segment, std::uint64_t offset, ConstRegion bytes) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "write"));
  PARAPET_CHECK(check_host("write", bytes));
  return engine->write({segment.value}, offset, {bytes.data, bytes.size});
}

Result<void> Pool::read(SegmentId segment, std::uint64_t offset, Region bytes) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "read"));
  PARAPET_CHECK(check_host("read", bytes));
  return engine->read({segment.value}, offset, {bytes.data, bytes.size});
}

Result<void> Pool::flush() {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "flush"));
  return engine->flush();
}

Result<void> Pool::remove(SegmentId segment) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "remove"));
  return engine->remove({segment.value});
}

std::vector<SegmentId> Pool::segments() {
  return impl_ == nullptr ? std::vector<SegmentId>() : public_ids(impl_->engine->segments());
}

Result<void> Pool::restore(unsigned device) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "restore"));
  return engine->restore(device);
}

Result<void> Pool::put_out(unsigned device) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "put out"));
  return engine->put_out(device);
}

Result<void> Pool::repair() {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "repair"));
  return engine->repair();
}

Result<ChunkSet> Pool::scrub(SegmentId segment) {
  PARAPET_TRY(pool::Pool* const engine, Impl::engine_of(impl_, "scrub"));
  return engine->scrub({segment.value});
}

void Pool::Impl::describe(unsigned ordinal, DeviceStatus& status) const {
  for (const auto& member : devices.members)
    if (member.superblock.ordinal == ordinal) status.directory = member.directory;
  const auto use = engine->space_use(ordinal);
  if (!use) return;
  status.free = use->free;
  status.used = use->taken + use->leaving;
  status.log_size = use->log_size;
  status.log_used = use->log_used;
}

PoolStatus Pool::status() {
  PoolStatus status;
  if (impl_ == nullptr) return status;
  const pool::PoolStatus found = impl_->engine->status();
  for (const pool::DeviceState state : found.devices) {
    DeviceStatus& device = status.devices.emplace_back();
    device.state = public_state(state);
    if (device.state == DeviceState::absent) continue;
    impl_->describe(static_cast<unsigned>(status.devices.size() - 1), device);
  }
  status.unusable = impl_->devices.unusable;
  status.closed = public_ids(found.closed);
  status.damaged_logs = found.damaged_logs;
  return status;
}

}  // namespace parapet

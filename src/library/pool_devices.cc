#include "library/pool_devices.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "base/printable.h"
#include "base/try.h"
#include "library/directories.h"
#include "store/store.h"

namespace parapet::library {
namespace {

constexpr const char* operation = "open pool";
using Members = std::vector<PoolDevices::Member>;

/// Whether this says that the disk is broken, rather than that the caller named something else.
bool is_broken(const Error& error) {
  switch (error.os_errno) {
    case EIO:
    case ENXIO:
    case ENODEV:
    case EREMOTEIO:
    case ENOMEDIUM:
    case ESTALE:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

Error explained(Error error) {
  if (error.os_errno == EWOULDBLOCK) error.reason = "another process, or another Pool of this one, has it open";
  return error;
}

Result<void, PoolError> add(os::RealWorld& world, const std::string& directory, PoolDevices& devices) {
  auto device = os::DeviceDirectory::open(world, directory);
  if (!device && !is_broken(device.error())) return about(directory, explained(device.error()));
  if (!device) {
    devices.unusable.push_back({directory, device.error().message()});
    return {};
  }
  auto superblock = store::Store::identify(world, device->disk());
  if (superblock) {
    devices.members.push_back({directory, std::move(*device), std::move(*superblock)});
    return {};
  }
  const ErrorCode code = superblock.error().code;
  if (code != ErrorCode::io_failed && code != ErrorCode::corrupt) return about(directory, superblock.error());
  devices.unusable.push_back({directory, superblock.error().message()});
  return {};
}

bool of_one_pool(const PoolDevices::Member& a, const PoolDevices::Member& b) {
  return a.superblock.pool == b.superblock.pool && a.superblock.devices == b.superblock.devices;
}

/// The pool is the one of most members; of two with as many, the first.
Result<void, PoolError> check_one_pool(const Members& members) {
  const auto fellows = [&](const auto& member) {
    return std::ranges::count_if(members, [&](const auto& other) { return of_one_pool(member, other); });
  };
  const auto most = std::ranges::max_element(members, {}, fellows);
  for (const PoolDevices::Member& member : members) {
    if (of_one_pool(*most, member)) continue;
    return about(member.directory,
                 {.code = ErrorCode::invalid_argument,
                  .operation = operation,
                  .reason = "it holds device {} of another pool",
                  .values = {member.superblock.ordinal}},
                 "than " + base::printable(most->directory));
  }
  return {};
}

Result<void, PoolError> check_distinct(const Members& members) {
  std::map<std::uint32_t, std::string> seen;
  for (const PoolDevices::Member& member : members) {
    const auto [earlier, is_new] = seen.emplace(member.superblock.ordinal, member.directory);
    if (is_new) continue;
    return about_both(earlier->second, member.directory,
                      {.code = ErrorCode::invalid_argument,
                       .operation = operation,
                       .reason = "both hold device {}: one is a copy",
                       .values = {member.superblock.ordinal}});
  }
  return {};
}

std::string missing_devices(const PoolDevices& devices) {
  const std::size_t count = devices.members.empty() ? 0 : devices.members.front().superblock.devices.size();
  std::string words;
  for (std::uint32_t ordinal = 0; ordinal < count; ++ordinal) {
    const auto is_it = [&](const auto& member) { return member.superblock.ordinal == ordinal; };
    if (std::ranges::any_of(devices.members, is_it)) continue;
    words += (words.empty() ? "missing: " : ", ") + std::to_string(ordinal);
  }
  for (const UnusableDevice& device : devices.unusable)
    words += (words.empty() ? "" : "; ") + base::printable(device.directory) + ": " + device.reason;
  return words;
}

Result<void, PoolError> check_majority(const PoolDevices& devices) {
  const std::size_t all = devices.members.empty() ? 0 : devices.members.front().superblock.devices.size();
  const std::size_t wanted = all / 2 + 1;
  if (devices.members.size() >= wanted) return {};
  return about({},
               {.code = ErrorCode::too_many_losses,
                .operation = operation,
                .reason = all == 0 ? "no device can be used" : "{} of the pool's {} devices are there, {} are needed",
                .values = {devices.members.size(), all, wanted}},
               missing_devices(devices));
}

}  // namespace

Result<PoolDevices, PoolError> PoolDevices::open(os::RealWorld& world, std::span<const std::string> directories) {
  PARAPET_CHECK(check_list(operation, directories));
  PoolDevices devices;
  for (const std::string& directory : directories) PARAPET_CHECK(add(world, directory, devices));
  PARAPET_CHECK(check_one_pool(devices.members));
  PARAPET_CHECK(check_distinct(devices.members));
  PARAPET_CHECK(check_majority(devices));
  return devices;
}

}  // namespace parapet::library

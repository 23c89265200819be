// What a device says of itself.
#include "store/store.h"

#include <algorithm>
#include <cstring>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"
#include "store/io_time.h"

namespace parapet::store {
namespace {

constexpr std::size_t io_step = 1 << 20;

Result<void> write_zeros(env::World& world, env::Disk& disk, std::uint64_t begin, std::uint64_t end) {
  const env::IoBuffer zeros(std::min<std::uint64_t>(io_step, end - begin));
  std::memset(zeros.data(), 0, zeros.size());
  for (std::uint64_t offset = begin; offset < end; offset += zeros.size()) {
    env::IoBatch io(world);
    io.write(disk, offset, zeros.part(0, std::min<std::uint64_t>(zeros.size(), end - offset)));
    io.run(world.now() + io_time_max);
    PARAPET_CHECK(io.first_error());
  }
  return {};
}

Result<void> write_superblock(env::World& world, env::Disk& disk, const layout::Superblock& superblock) {
  const env::IoBuffer block(layout::superblock_size);
  const auto bytes = layout::encode_superblock(superblock);
  std::memcpy(block.data(), bytes.data(), bytes.size());
  env::IoBatch io(world);
  const std::uint64_t pair = base::broken(base::Mutant::one_superblock) ? 0 : superblock.sequence;
  for (std::uint64_t offset : layout::superblock_offsets(pair)) io.write_durable(disk, offset, block);
  io.run(world.now() + io_time_max);
  return io.first_error();
}

Result<layout::Superblock> read_superblock(env::World& world, env::Disk& disk) {
  const env::IoBuffer area(layout::superblock_area_size);
  env::IoBatch io(world);
  io.read(disk, 0, area);
  io.run(world.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  return layout::newest_superblock(area.span());
}

}  // namespace

Result<layout::Superblock> Store::identify(env::World& world, env::Disk& disk) {
  if (disk.size() < layout::superblock_area_size)
    return Error{.code = ErrorCode::not_found, .operation = "device", .reason = "it is too small for a Parapet device"};
  auto read = read_superblock(world, disk);
  // A read may have gone astray. To take a device for none is worse than to read it some times more.
  for (int again = 0; again < 3 && !read; ++again) read = read_superblock(world, disk);
  PARAPET_TRY(auto superblock, read);
  if (superblock.geometry.device_size > disk.size())
    return Error{.code = ErrorCode::corrupt,
                 .operation = "device",
                 .reason = "it has {} bytes, and had {} when it was made",
                 .values = {disk.size(), superblock.geometry.device_size}};
  return superblock;
}

Result<void> Store::format(env::World& world, env::Disk& disk, const layout::Superblock& superblock) {
  const auto& geometry = superblock.geometry;
  PARAPET_CHECK(write_zeros(world, disk, 0, geometry.space_offset));
  env::IoBatch io(world);
  io.flush(disk);
  io.run(world.now() + io_time_max);
  PARAPET_CHECK(io.first_error());
  layout::Superblock copy = superblock;
  for (copy.sequence = 0; copy.sequence < 2; ++copy.sequence) {
    PARAPET_CHECK(write_superblock(world, disk, copy));
  }
  return {};
}

layout::Superblock Store::superblock() {
  const env::Lock lock(*superblock_mutex_);
  return superblock_;
}

Result<void> Store::update_superblock(const std::function<void(layout::Superblock&)>& change) {
  const env::Lock lock(*superblock_mutex_);
  layout::Superblock next = superblock_;
  change(next);
  ++next.sequence;
  PARAPET_CHECK(write_superblock(world_, disk_, next));
  superblock_ = next;
  return {};
}

Result<void> Store::flush_device() {
  env::IoBatch io(world_);
  io.flush(disk_);
  io.run(world_.now() + io_time_max);
  return io.first_error();
}

}  // namespace parapet::store

// For tests of the simulator: one operation at a time, in few words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "env/io_batch.h"
#include "simenv/sim_world.h"

namespace parapet::simenv {

inline constexpr std::size_t block_size = env::io_alignment;

inline env::IoBuffer filled(std::uint8_t value, std::size_t size = block_size) {
  env::IoBuffer buffer(size);
  std::ranges::fill(buffer.span(), value);
  return buffer;
}

inline Result<void> run_io(SimWorld& world, env::Io::Kind kind, env::Disk& disk, std::uint64_t offset,
                           const env::IoBuffer& buffer, env::Time deadline = env::never) {
  env::IoBatch batch(world);
  switch (kind) {
    case env::Io::Kind::read:
      batch.read(disk, offset, buffer);
      break;
    case env::Io::Kind::write:
      batch.write(disk, offset, buffer);
      break;
    case env::Io::Kind::write_durable:
      batch.write_durable(disk, offset, buffer);
      break;
    case env::Io::Kind::flush:
      batch.flush(disk);
      break;
  }
  batch.run(deadline);
  return batch.first_error();
}

inline Result<void> write_at(SimWorld& world, env::Disk& disk, std::uint64_t offset, std::uint8_t value,
                             std::size_t size = block_size) {
  return run_io(world, env::Io::Kind::write, disk, offset, filled(value, size));
}

inline Result<void> write_durable_at(SimWorld& world, env::Disk& disk, std::uint64_t offset, std::uint8_t value) {
  return run_io(world, env::Io::Kind::write_durable, disk, offset, filled(value));
}

inline Result<void> flush(SimWorld& world, env::Disk& disk) { return run_io(world, env::Io::Kind::flush, disk, 0, {}); }

/// The bytes of a block; empty if the read fails.
inline std::vector<std::uint8_t> read_at(SimWorld& world, env::Disk& disk, std::uint64_t offset) {
  const env::IoBuffer into(block_size);
  if (!run_io(world, env::Io::Kind::read, disk, offset, into)) return {};
  return {into.span().begin(), into.span().end()};
}

inline std::vector<std::uint8_t> block_of(std::uint8_t value) { return std::vector<std::uint8_t>(block_size, value); }

}  // namespace parapet::simenv

// For tests: small pools in scratch directories.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/prng.h"
#include "os/scratch_directory.h"
#include "parapet/pool.h"

namespace parapet::library {

/// On one disk, as tests are; segments of 128 KiB on 4 of the devices.
inline PoolCreateOptions small_pool() {
  return {.code = "rs(2,2)",
          .chunk_size = 64 << 10,
          .log_size = 1 << 20,
          .device_size = 8 << 20,
          .allow_shared_disk = true};
}

/// Directories of devices, not made yet.
struct ScratchDevices {
  explicit ScratchDevices(unsigned count, const std::string& name = "device-") {
    for (unsigned i = 0; i < count; ++i) paths.push_back(scratch / (name + std::to_string(i)));
  }
  [[nodiscard]] std::string file(std::size_t device) const { return paths[device] + "/device"; }

  os::ScratchDirectory scratch;
  std::vector<std::string> paths;
};

/// Devices with a new pool.
struct ScratchPool : ScratchDevices {
  explicit ScratchPool(unsigned count = 4, const PoolCreateOptions& options = small_pool()) : ScratchDevices(count) {
    Pool::create(paths, options).value();
  }
};

inline std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t size) {
  base::Prng random(seed);
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

inline std::vector<std::uint8_t> read_front(Pool& pool, SegmentId segment, std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  pool.read(segment, 0, {bytes.data(), bytes.size()}).value();
  return bytes;
}
inline std::vector<std::uint8_t> read_all(Pool& pool, SegmentId segment) {
  return read_front(pool, segment, pool.size_of(segment).value());
}

}  // namespace parapet::library

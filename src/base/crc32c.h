// CRC-32C (Castagnoli), the checksum of everything that Parapet keeps on disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parapet::base {

/// The CRC-32C of `size` bytes after a prefix whose CRC-32C is `seed`; 0 for none:
/// crc32c(crc32c(0, a), b) == crc32c(0, ab). Uses the fastest way that this machine has.
std::uint32_t crc32c(std::uint32_t seed, const void* bytes, std::size_t size);

/// One way to compute it. All give the same result.
struct Crc32cImplementation {
  const char* name;
  bool supported;  ///< By this machine; `function` must not be called otherwise.
  std::uint32_t (*function)(std::uint32_t seed, const void* bytes, std::size_t size);
};

/// All implementations of this build, best first; the last one is portable. For tests.
std::span<const Crc32cImplementation> crc32c_implementations();

}  // namespace parapet::base

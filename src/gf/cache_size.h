// The size of the last-level cache.
#pragma once

#include <cstddef>

namespace parapet::gf {

/// Bytes of the largest cache that the calling processor's core can fill; a guess of 16 MiB where it cannot be asked.
/// (glibc's sysconf answers with the sum over all core complexes of a socket on AMD processors.)
std::size_t last_level_cache_bytes();

}  // namespace parapet::gf

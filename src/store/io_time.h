// How long a device may take.
#pragma once

#include "env/io_batch.h"

namespace parapet::store {

/// Bytes that work in the background has under way on a device at a time.
inline constexpr std::size_t background_io_size = 512 << 10;

/// A device that takes longer for a request has failed.
inline constexpr env::Time io_time_max = std::chrono::seconds(30);

}  // namespace parapet::store

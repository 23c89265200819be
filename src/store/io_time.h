// How long a device may take.
#pragma once

#include "env/io_batch.h"

namespace parapet::store {

/// A device that takes longer for a request has failed.
inline constexpr env::Time io_time_max = std::chrono::seconds(30);

}  // namespace parapet::store

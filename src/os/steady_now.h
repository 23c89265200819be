// The clock of the real world.
#pragma once

#include <chrono>

#include "env/time.h"

namespace parapet::os {

inline env::Time steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

/// What condition variables and sleeps take.
inline std::chrono::steady_clock::time_point time_point_of(env::Time time) {
  return std::chrono::steady_clock::time_point(time);
}

}  // namespace parapet::os

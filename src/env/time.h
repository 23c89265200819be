// Time, as the engine sees it: the world's clock since an arbitrary start. Only the type; nobody reads a clock here.
#pragma once

#include <chrono>

namespace parapet::env {

using Time = std::chrono::nanoseconds;

/// A deadline that does not come.
inline constexpr Time never = Time::max();

}  // namespace parapet::env

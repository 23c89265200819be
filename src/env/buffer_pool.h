// Memory for I/O buffers, used again and again: fresh pages from the kernel cost more than what is written into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace parapet::env {

/// `size` uninitialised bytes, aligned to a page. Sizes are rounded up by a quarter at most. What is given back is
/// kept for later; where that is more than `kept_size_max` bytes in the process, what was not used for the longest time
/// goes back to the kernel. For any thread. Under the address sanitizer, which watches freed memory, each buffer is an
/// allocation of its own.
std::shared_ptr<std::uint8_t> pooled_bytes(std::size_t size);

/// About what the logs of six devices hold, which comes and goes with each pass of their movers.
inline constexpr std::size_t kept_size_max = 512 << 20;

}  // namespace parapet::env

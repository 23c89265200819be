// Memory for I/O buffers, used again and again: fresh pages from the kernel cost more than what is written into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace parapet::env {

/// `size` uninitialised bytes, aligned to a page. Sizes are rounded up by a quarter at most; what is given back is kept
/// for later up to `pooled_size_max` bytes in the process. For any thread.
std::shared_ptr<std::uint8_t> pooled_bytes(std::size_t size);

/// Of all buffers that are kept. Nothing is kept under the address sanitizer, which watches freed memory.
inline constexpr std::size_t pooled_size_max = 128 << 20;

}  // namespace parapet::env

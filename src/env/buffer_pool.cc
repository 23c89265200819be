#include "env/buffer_pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <new>
#include <vector>

namespace parapet::env {
namespace {

constexpr std::size_t page_size = 4096;
constexpr std::size_t steps = 4;  ///< Size classes for each doubling.

#if defined(__SANITIZE_ADDRESS__)
constexpr bool keeps = false;
#elif defined(__has_feature)
constexpr bool keeps = !__has_feature(address_sanitizer);
#else
constexpr bool keeps = true;
#endif

/// Classes of pages: 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, ...
struct SizeClass {
  std::size_t index;
  std::size_t size;
};

SizeClass class_of(std::size_t size) {
  const std::size_t pages = std::max<std::size_t>((size + page_size - 1) / page_size, 1);
  if (pages <= steps) return {pages - 1, pages * page_size};
  // The class covers (steps + part) << shift pages, for the smallest such number that is no less than `pages`.
  const unsigned shift = static_cast<unsigned>(std::bit_width((pages - 1) / steps)) - 1;
  const std::size_t part = ((pages - 1) >> shift) - steps + 1;  // 1 to steps
  return {steps * (shift + 1) + part - 1, ((steps + part) << shift) * page_size};
}

class BufferPool {
 public:
  std::uint8_t* take(const SizeClass& size_class) {
    {
      const std::lock_guard lock(mutex_);
      auto& free = free_[size_class.index];
      if (!free.empty()) {
        std::uint8_t* const bytes = free.back();
        free.pop_back();
        kept_size_ -= size_class.size;
        return bytes;
      }
    }
    return static_cast<std::uint8_t*>(::operator new(size_class.size, std::align_val_t(page_size)));
  }

  void give(std::uint8_t* bytes, const SizeClass& size_class) {
    if (keeps) {
      const std::lock_guard lock(mutex_);
      if (kept_size_ + size_class.size <= pooled_size_max) {
        free_[size_class.index].push_back(bytes);
        kept_size_ += size_class.size;
        return;
      }
    }
    ::operator delete(bytes, std::align_val_t(page_size));
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<std::uint8_t*>, 256> free_;
  std::size_t kept_size_ = 0;
};

/// Never destroyed: buffers may be given back while the process ends.
BufferPool& buffer_pool() {
  static auto* const pool = new BufferPool;
  return *pool;
}

}  // namespace

std::shared_ptr<std::uint8_t> pooled_bytes(std::size_t size) {
  const SizeClass size_class = class_of(size);
  return {buffer_pool().take(size_class), [size_class](std::uint8_t* bytes) { buffer_pool().give(bytes, size_class); }};
}

}  // namespace parapet::env

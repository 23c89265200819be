// For tests: memory between two pages that may not be touched.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/assert.h"

namespace parapet::base {

/// At least `size` bytes, zero at first. A read or write directly before `begin()` or at `end()` ends the process.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t size) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (size + page - 1) / page * page;
    mapped_size_ = size_ + 2 * page;
    void* const bytes = mmap(nullptr, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    PARAPET_ASSERT(bytes != MAP_FAILED);
    mapped_ = static_cast<std::uint8_t*>(bytes);
    begin_ = mapped_ + page;
    PARAPET_ASSERT(size_ == 0 || mprotect(begin_, size_, PROT_READ | PROT_WRITE) == 0);
  }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() { munmap(mapped_, mapped_size_); }

  [[nodiscard]] std::uint8_t* begin() const { return begin_; }
  [[nodiscard]] std::uint8_t* end() const { return begin_ + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::uint8_t* mapped_ = nullptr;
  std::uint8_t* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_size_ = 0;
};

}  // namespace parapet::base

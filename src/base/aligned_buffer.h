// Bytes on the heap at a chosen alignment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace parapet::base {

/// Frees what AlignedBuffer allocated.
struct AlignedFree {
  std::size_t alignment = 1;
  void operator()(std::uint8_t* bytes) const { ::operator delete(bytes, std::align_val_t(alignment)); }
};

/// Uninitialised bytes, aligned to `alignment` (a power of two); movable, not copyable.
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size, std::size_t alignment = 64)
      : data_(static_cast<std::uint8_t*>(::operator new(size, std::align_val_t(alignment))), AlignedFree{alignment}),
        size_(size) {}

  [[nodiscard]] std::uint8_t* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::uint8_t> span() const { return {data(), size_}; }

 private:
  std::unique_ptr<std::uint8_t, AlignedFree> data_;
  std::size_t size_ = 0;
};

}  // namespace parapet::base

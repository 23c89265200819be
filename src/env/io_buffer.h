// Memory that disks read into and write from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "env/buffer_pool.h"

namespace parapet::env {

/// The unit of alignment of disk offsets, sizes and buffers.
inline constexpr std::size_t io_alignment = 4096;

/// A range of shared bytes, aligned to `io_alignment` at its start. Copies share the bytes; an operation keeps a copy
/// until it is over, so that one that was given up may still land in it.
class IoBuffer {
 public:
  IoBuffer() = default;
  /// `size` uninitialised bytes.
  explicit IoBuffer(std::size_t size) : bytes_(pooled_bytes(size)), data_(bytes_.get()), size_(size) {}

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::uint8_t> span() const { return {data_, size_}; }

  /// The part [offset, offset + size) of the same bytes.
  [[nodiscard]] IoBuffer part(std::size_t offset, std::size_t size) const {
    IoBuffer result = *this;
    result.data_ += offset;
    result.size_ = size;
    return result;
  }

 private:
  std::shared_ptr<std::uint8_t> bytes_;
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace parapet::env

// Little-endian integers one after another in a buffer, for formats whose parts vary in number.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/assert.h"

namespace parapet::layout {

static_assert(std::endian::native == std::endian::little, "the formats are little-endian and are copied as they lie");

/// Writes plain values one after another; never beyond the buffer (asserted).
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::uint8_t> bytes) : bytes_(bytes) {}
  template <class T>
  void put(const T& value) {
    static_assert(std::has_unique_object_representations_v<T>);
    put(&value, sizeof value);
  }
  void put(const void* from, std::size_t size) {
    PARAPET_ASSERT(size <= bytes_.size() - used_);
    if (size > 0) std::memcpy(bytes_.data() + used_, from, size);
    used_ += size;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::span<std::uint8_t> bytes_;
  std::size_t used_ = 0;
};

/// Reads them back. Beyond the end it reads zeros and is not `ok` any more.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    T value{};
    if (const auto part = get(sizeof value); ok_) std::memcpy(&value, part.data(), sizeof value);
    return value;
  }
  std::span<const std::uint8_t> get(std::size_t size) {
    ok_ = ok_ && size <= bytes_.size() - used_;
    if (!ok_) return {};
    used_ += size;
    return bytes_.subspan(used_ - size, size);
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

}  // namespace parapet::layout

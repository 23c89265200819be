// An array whose size is known at run time, on the stack when it is small.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace parapet::base {

/// `size` uninitialised elements; no heap allocation up to `inline_size_max`.
template <class T, std::size_t inline_size_max>
class StackArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit StackArray(std::size_t size) : size_(size) {
    if (size > inline_size_max) {
      heap_ = std::make_unique<T[]>(size);
      data_ = heap_.get();
    }
  }
  StackArray(const StackArray&) = delete;
  StackArray& operator=(const StackArray&) = delete;

  T& operator[](std::size_t index) { return data_[index]; }
  const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const T> first(std::size_t count) const { return {data_, count}; }

 private:
  T inline_[inline_size_max];
  std::unique_ptr<T[]> heap_;
  T* data_ = inline_;
  std::size_t size_;
};

}  // namespace parapet::base

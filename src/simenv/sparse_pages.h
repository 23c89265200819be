// Bytes of a large address range of which few are not zero.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace parapet::simenv {

/// What has never been written reads as zeros and costs nothing. Copies share their pages until one of them changes, so
/// that a copy is a cheap snapshot.
class SparsePages {
 public:
  void read(std::uint64_t offset, std::span<std::uint8_t> into) const;
  void write(std::uint64_t offset, std::span<const std::uint8_t> from);
  /// Of the bytes: pages of zeros count as not written.
  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] std::size_t page_count() const { return pages_.size(); }

 private:
  static constexpr std::size_t page_size = 4096;
  using Page = std::array<std::uint8_t, page_size>;

  std::span<std::uint8_t> writable_page(std::uint64_t number);

  std::map<std::uint64_t, std::shared_ptr<Page>> pages_;
};

}  // namespace parapet::simenv

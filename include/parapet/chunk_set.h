// A set of chunk indices.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

namespace parapet {

/// Most chunks in one code: the number of elements of GF(2^8).
inline constexpr unsigned chunk_count_max = 256;

/// A set of chunk indices 0..255, of fixed size and trivially copyable. Iteration is in ascending order.
class ChunkSet {
 public:
  ChunkSet() = default;
  ChunkSet(std::initializer_list<unsigned> indices) {
    for (unsigned index : indices) insert(index);
  }
  /// {first, first+1, ..., last-1}.
  static ChunkSet range(unsigned first, unsigned last) {
    ChunkSet set;
    for (unsigned index = first; index < last; ++index) set.insert(index);
    return set;
  }

  /// Indices of 256 and above are never members; inserting one does nothing.
  void insert(unsigned index) {
    if (index < chunk_count_max) words_[index / 64] |= bit(index);
  }
  void erase(unsigned index) {
    if (index < chunk_count_max) words_[index / 64] &= ~bit(index);
  }
  [[nodiscard]] bool contains(unsigned index) const {
    return index < chunk_count_max && (words_[index / 64] & bit(index)) != 0;
  }
  [[nodiscard]] unsigned count() const {
    unsigned total = 0;
    for (std::uint64_t word : words_) total += static_cast<unsigned>(std::popcount(word));
    return total;
  }
  [[nodiscard]] bool empty() const { return *this == ChunkSet{}; }

  friend ChunkSet operator|(ChunkSet a, const ChunkSet& b) {
    for (unsigned i = 0; i < a.words_.size(); ++i) a.words_[i] |= b.words_[i];
    return a;
  }
  friend ChunkSet operator&(ChunkSet a, const ChunkSet& b) {
    for (unsigned i = 0; i < a.words_.size(); ++i) a.words_[i] &= b.words_[i];
    return a;
  }
  friend ChunkSet operator-(ChunkSet a, const ChunkSet& b) {
    for (unsigned i = 0; i < a.words_.size(); ++i) a.words_[i] &= ~b.words_[i];
    return a;
  }
  friend bool operator==(const ChunkSet&, const ChunkSet&) = default;

  /// The set as four words, index 0 in the lowest bit of the first: a key for maps.
  [[nodiscard]] const std::array<std::uint64_t, 4>& words() const { return words_; }

  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = unsigned;
    using difference_type = std::ptrdiff_t;
    using pointer = const unsigned*;
    using reference = unsigned;

    Iterator() = default;
    Iterator(const ChunkSet* set, unsigned index) : set_(set), index_(index) { skip(); }
    unsigned operator*() const { return index_; }
    Iterator& operator++() { return ++index_, skip(), *this; }
    Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    void skip() {
      while (index_ < chunk_count_max) {
        const std::uint64_t rest = set_->words_[index_ / 64] >> (index_ % 64);
        if (rest != 0) {
          index_ += static_cast<unsigned>(std::countr_zero(rest));
          return;
        }
        index_ = (index_ / 64 + 1) * 64;
      }
    }
    const ChunkSet* set_ = nullptr;
    unsigned index_ = chunk_count_max;
  };
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, chunk_count_max}; }

 private:
  static constexpr std::uint64_t bit(unsigned index) { return std::uint64_t{1} << (index % 64); }
  std::array<std::uint64_t, 4> words_{};
};

}  // namespace parapet

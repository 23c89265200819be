// The numbers of a code, and where the sub-chunks of a chunk lie.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace parapet::codec {

struct Shape {
  unsigned k = 0;
  unsigned m = 0;
  unsigned alpha = 1;           ///< Sub-chunks per chunk.
  unsigned tolerance = 0;       ///< Losses that are always decodable.
  std::size_t packet_size = 0;  ///< 0: each sub-chunk is one contiguous part of its chunk; see `Packets`.
  [[nodiscard]] unsigned n() const { return k + m; }
  /// Chunk sizes are positive multiples of this.
  [[nodiscard]] std::size_t chunk_size_multiple() const {
    return std::size_t{alpha} * (packet_size == 0 ? 1 : packet_size);
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Sub-chunk `sub` (0..alpha-1) of chunk `chunk`.
struct SubChunk {
  std::uint32_t chunk = 0;
  std::uint32_t sub = 0;
  friend bool operator==(const SubChunk&, const SubChunk&) = default;
  friend auto operator<=>(const SubChunk&, const SubChunk&) = default;
};

/// The sub-chunks [first, last).
struct SubRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  friend bool operator==(const SubRange&, const SubRange&) = default;
};

/// How a chunk is dealt out to its sub-chunks: packet by packet, in rounds.
///
///     | packet 0 | packet 1 | ... | packet alpha-1 | packet 0 | packet 1 | ...
///     |<--------------- round 0 ------------------>|<---- round 1 ----
///
/// Sub-chunk s is packet s of every round. Codes that do not state a packet size have one round.
class Packets {
 public:
  /// chunk_size: legal for the shape.
  Packets(const Shape& shape, std::size_t chunk_size)
      : size_(shape.packet_size == 0 ? chunk_size / shape.alpha : shape.packet_size),
        round_size_(size_ * shape.alpha),
        round_count_(shape.packet_size == 0 ? 1 : chunk_size / round_size_) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t round_size() const { return round_size_; }
  [[nodiscard]] std::size_t round_count() const { return round_count_; }
  /// Where the packet of a sub-chunk begins in its chunk.
  [[nodiscard]] std::size_t offset(std::size_t round, std::size_t sub) const {
    return round * round_size_ + sub * size_;
  }

 private:
  std::size_t size_;
  std::size_t round_size_;
  std::size_t round_count_;
};

}  // namespace parapet::codec

// The buffers that are coded: stripes in one arena, in a stated layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/aligned_buffer.h"
#include "parapet/region.h"

namespace parapet::bench {

/// Data chunks and parity chunks of a stripe.
struct Shape {
  unsigned k = 0;
  unsigned m = 0;
  [[nodiscard]] unsigned n() const { return k + m; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

enum class Layout {
  contiguous,  ///< Chunks back to back, the first on a page: with sizes of 4 KiB and more all of them on pages.
  staggered,   ///< As contiguous, and each chunk 192 bytes further on, so that no two begin in the same cache sets.
};
std::string_view name_of(Layout layout);

/// Where one stripe's chunks are. The bytes belong to the arena.
struct Stripe {
  Shape shape;
  std::size_t chunk_size = 0;
  std::vector<std::uint8_t*> chunks;   ///< k data, then m parity.
  std::vector<std::uint8_t*> outputs;  ///< max(k, m) more, for rebuilt chunks and plain copies.

  [[nodiscard]] std::vector<ConstRegion> data() const;
  [[nodiscard]] std::vector<Region> parity() const;
};

/// Memory full of random bytes, reused by one case after the other.
class Arena {
 public:
  /// Lays out `count` stripes; all stripes that were laid out before become invalid. What the chunks hold is random,
  /// or what earlier stripes left there.
  std::vector<Stripe> lay_out(Shape shape, std::size_t chunk_size, Layout layout, std::size_t count);

 private:
  base::AlignedBuffer bytes_{0};
};

/// How many stripes of n chunks exceed `footprint_bytes`.
std::size_t stripes_beyond(std::size_t footprint_bytes, Shape shape, std::size_t chunk_size);

}  // namespace parapet::bench

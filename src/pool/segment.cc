#include "pool/segment.h"

#include <algorithm>

namespace parapet::pool {

std::vector<Piece> pieces_of(const Segment& segment, std::uint64_t offset, std::size_t length) {
  std::vector<Piece> pieces;
  for (std::size_t position = 0; position < length;) {
    const std::uint64_t at = offset + position;
    const std::uint64_t unit = at / segment.unit;
    const std::size_t within = at % segment.unit;
    const std::size_t size = std::min(segment.unit - within, length - position);
    pieces.push_back({static_cast<unsigned>(unit % segment.code.k()),
                      static_cast<std::uint32_t>(unit / segment.code.k() * segment.unit + within),
                      static_cast<std::uint32_t>(size), position});
    position += size;
  }
  return pieces;
}

}  // namespace parapet::pool

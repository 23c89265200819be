#include "store/parity_rows.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "layout/shard_header.h"

namespace parapet::store {

RowGeometry::Place RowGeometry::place_of(std::size_t offset) const {
  const std::size_t part = offset / part_size_;
  const std::size_t within = offset % part_size_;
  const std::size_t in_piece = within % rows_.piece_size();
  return {static_cast<std::uint32_t>(within / rows_.piece_size()), part * rows_.piece_size() + in_piece,
          rows_.piece_size() - in_piece};
}

std::vector<std::uint32_t> RowGeometry::blocks_of(std::uint32_t row) const {
  std::vector<std::uint32_t> blocks;
  for (std::size_t part = 0; part < rows_.part_count(); ++part) {
    const std::size_t first = (part * part_size_ + row * rows_.piece_size()) / layout::block_size;
    for (std::size_t i = 0; i < rows_.piece_size() / layout::block_size; ++i)
      blocks.push_back(static_cast<std::uint32_t>(first + i));
  }
  return blocks;
}

void ParityRows::add(unsigned chain, std::size_t offset, std::span<const std::uint8_t> delta) {
  while (!delta.empty()) {
    const auto place = geometry_.place_of(offset);
    const std::size_t length = std::min(place.length, delta.size());
    add_piece(place, chain, delta.first(length));
    offset += length;
    delta = delta.subspan(length);
  }
}

void ParityRows::add_in_row(std::uint32_t row, unsigned chain, std::size_t offset,
                            std::span<const std::uint8_t> delta) {
  while (!delta.empty()) {
    const auto place = geometry_.place_of(offset);
    const std::size_t length = std::min(place.length, delta.size());
    if (place.row == row) add_piece(place, chain, delta.first(length));
    offset += length;
    delta = delta.subspan(length);
  }
}

void ParityRows::add_piece(const RowGeometry::Place& place, unsigned chain, std::span<const std::uint8_t> delta) {
  const std::size_t size = geometry_.row_size();
  auto [row, fresh] = rows_.try_emplace(place.row);
  if (fresh) {
    row->second = base::AlignedBuffer(size);
    std::memset(row->second.data(), 0, size);
  }
  std::vector<Region> parity(code_.m());
  parity[parity_index_] = Region(row->second.data(), size);
  const auto applied = code_.apply_delta(chain, place.offset, ConstRegion(delta.data(), delta.size()), parity);
  PARAPET_ASSERT(applied.has_value());
}

}  // namespace parapet::store

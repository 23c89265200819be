// A segment that is open: where its chunks are, who counts, and how far each chain has come.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <vector>

#include "store/store.h"

namespace parapet::pool {

/// The ordered updates of one data chunk.
struct Chain {
  layout::UpdateId tip;        ///< The last that was staged.
  layout::UpdateId committed;  ///< The last that is durable on all holders that count.
};

/// One chunk's place.
struct Holder {
  unsigned device = 0;
  store::Store* store = nullptr;  ///< Null: the device is absent.
  store::ChunkPtr chunk;          ///< Null: absent or damaged.
};

/// An image of a block whose own device is out, while its update is not committed.
struct StagedImage {
  layout::UpdateId id;
  store::SharedBytes bytes;
};

/// `chains`, `counting` and `staged` are guarded by the pool's stage mutex; the rest does not change while the segment
/// is open, but for a holder that is rebuilt, under a lock on all of the segment.
struct Segment {
  Segment(layout::SegmentId segment_id, Code segment_code, std::uint32_t size)
      : id(segment_id),
        code(std::move(segment_code)),
        chunk_size(size),
        unit(std::gcd(std::size_t{size}, layout::unit_size)),
        rows(code, size),
        holders(code.n()),
        chains(code.k()) {}

  layout::SegmentId id;
  Code code;
  std::uint32_t chunk_size;
  std::size_t unit;  ///< The segment's bytes go round the data chunks in units of it.
  store::RowGeometry rows;
  std::vector<Holder> holders;
  std::vector<Chain> chains;
  layout::HolderSet counting;
  bool removed = false;
  bool used = true;  ///< Since it was last looked at for being unloaded.
  std::map<std::pair<unsigned, std::uint32_t>, StagedImage> staged;  ///< By data chunk and block.

  [[nodiscard]] std::uint64_t size() const { return std::uint64_t{chunk_size} * code.k(); }
  /// All holders of a chain, counting or not.
  [[nodiscard]] layout::HolderSet holders_of(unsigned chain) const {
    return code.parities_of(chain) | layout::HolderSet{chain};
  }
};

/// Bytes of a segment that lie together in one data chunk.
struct Piece {
  unsigned chunk = 0;
  std::uint32_t offset = 0;  ///< In the chunk.
  std::uint32_t length = 0;
  std::size_t position = 0;  ///< In the request.

  [[nodiscard]] std::uint32_t first_block() const { return offset / 4096; }
  [[nodiscard]] std::uint32_t block_count() const { return (offset + length - 1) / 4096 - first_block() + 1; }
};

/// Cuts a request into pieces.
std::vector<Piece> pieces_of(const Segment& segment, std::uint64_t offset, std::size_t length);

}  // namespace parapet::pool

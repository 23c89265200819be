// One chunk of a device, as it is kept in memory.
//
// Invariants:
//  1. `tag` is what the newest durable image of it says, in the log or on the device: which updates the home and the
//     reserve have.
//  2. `updates` are the logged updates that the tag does not have yet, in the order of their chains; they are all that
//  the
//     log has of the chunk beyond the tag. What the chunk holds is home, plus reserve, plus `updates`.
//  3. Per chain: tag <= committed <= tip. Only committed updates leave `updates` by being moved to home or reserve.
//  4. While `pins` > 0, neither home nor reserve nor tag changes; while `moving`, nobody takes a pin.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "layout/chunk_slot.h"
#include "layout/chunk_tag.h"
#include "store/parity_rows.h"
#include "store/record.h"

namespace parapet::store {

/// What follows from a slot and its code.
struct ChunkShape {
  ChunkShape(Code of_code, std::uint32_t of_chunk, std::uint32_t of_chunk_size)
      : code(std::move(of_code)),
        rows(code, of_chunk_size),
        chunk(of_chunk),
        chunk_size(of_chunk_size),
        block_count(of_chunk_size / block_bytes),
        parity(of_chunk >= code.k()),
        tag(parity ? layout::parity_tag_shape(code.k(), block_count) : layout::data_tag_shape(block_count)) {}

  static constexpr std::uint32_t block_bytes = 4096;
  Code code;
  RowGeometry rows;
  std::uint32_t chunk;
  std::uint32_t chunk_size;
  std::uint32_t block_count;
  bool parity;
  layout::TagShape tag;

  /// The index of a data chunk's chain in this chunk's tag.
  [[nodiscard]] std::size_t chain_index(unsigned chain) const { return parity ? chain : 0; }
  /// Whether updates of the data chunk are held here.
  [[nodiscard]] bool holds_chain(unsigned chain) const {
    return parity ? code.parities_of(chain).contains(chunk) : chain == chunk;
  }
  /// Whether a record's counts and sizes are those of an update of this chunk.
  [[nodiscard]] bool fits(const Record& record) const;
  /// The place of a data block's checksum in a parity chunk's tag.
  [[nodiscard]] std::size_t data_checksum_index(unsigned chain, std::uint32_t block) const {
    return block_count + std::size_t{chain} * block_count + block;
  }
};

/// Guarded by the mutex of its store, but for `slot_index` and `shape`, which do not change.
struct Chunk {
  Chunk(std::size_t index, ChunkShape of_shape)
      : slot_index(index), shape(std::move(of_shape)), committed(shape.tag.chain_count), tip(shape.tag.chain_count) {}

  std::size_t slot_index;
  ChunkShape shape;
  layout::ChunkTag tag;
  std::deque<RecordPtr> updates;
  std::map<std::uint32_t, RecordPtr> newest;  ///< In a data chunk: per block, the newest of `updates` that has it.
  std::vector<layout::UpdateId> committed;    ///< Per chain.
  std::vector<layout::UpdateId> tip;          ///< Per chain: the last logged.
  bool given_up = false;  ///< Its logged updates were dropped: nothing may be read from it any more.
  unsigned pins = 0;
  bool moving = false;
  std::size_t move_cost = 0;  ///< Bytes of the log kept for moving `updates` on.
};

using ChunkPtr = std::shared_ptr<Chunk>;

}  // namespace parapet::store

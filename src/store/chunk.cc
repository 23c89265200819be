#include "store/chunk.h"

#include "layout/shard_header.h"

namespace parapet::store {

using layout::RecordKind;

bool ChunkShape::fits(const Record& record) const {
  const auto& header = record.header;
  if (!holds_chain(header.chain) || header.offset > chunk_size || header.length > chunk_size - header.offset)
    return false;
  if ((header.kind == RecordKind::delta) != parity) return false;
  if (header.length == 0) return record.payload.size() == 0 && record.checksums.empty();
  const std::size_t first = header.offset / layout::block_size;
  const std::size_t last = (header.offset + header.length - 1) / layout::block_size;
  if (record.checksums.size() != last - first + 1) return false;
  return record.payload.size() == (parity ? header.length : (last - first + 1) * layout::block_size);
}

}  // namespace parapet::store

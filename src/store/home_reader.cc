#include "store/home_reader.h"

#include <cstring>

#include "base/mutant.h"
#include "base/try.h"
#include "layout/shard_header.h"

namespace parapet::store {

using layout::block_size;

HomeReader::HomeReader(Store& store, Chunk& chunk, std::vector<std::uint32_t> blocks, bool with_reserve,
                       env::IoBatch& io)
    : chunk_(chunk), blocks_(std::move(blocks)), bytes_(blocks_.size() * block_size) {
  const env::Lock lock(*store.mutex_);
  const layout::ChunkSlot& slot = store.table_[chunk.slot_index];
  segment_ = slot.segment;
  given_up_ = chunk.given_up;
  if (given_up_) return;
  const std::uint64_t home = store.home_offset(slot);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::uint64_t offset = home + std::uint64_t{blocks_[i]} * block_size;
    const env::IoBuffer to = bytes_.part(i * block_size, block_size);
    const std::uint32_t checksum = chunk.tag.checksums[blocks_[i]];
    if (checksum == layout::checksum_unwritten) {
      std::memset(to.data(), 0, block_size);
    } else if (const auto image = store.images_.find(offset); !image.empty()) {
      std::memcpy(to.data(), image.data(), block_size);
    } else {
      reads_.push_back({i, io.read(store.disk_, offset, to), checksum});
    }
  }
  if (!with_reserve || chunk.tag.reserve_used == 0) return;
  reserve_bytes_ = env::IoBuffer(chunk.tag.reserve_used);
  reserve_io_ = io.read(store.disk_, home + reserve_offset(chunk.shape), reserve_bytes_);
}

Result<void> HomeReader::finish(const env::IoBatch& io) {
  const auto failed = [&](ErrorCode code, const char* reason, std::uint32_t block, int os_errno) {
    return Error{code, "read", reason, {segment_.value, chunk_.shape.chunk, block}, os_errno};
  };
  if (given_up_) return failed(ErrorCode::corrupt, "segment {} chunk {} has been given up", 0, 0);
  for (const Read& read : reads_) {
    const std::uint32_t block = blocks_[read.index];
    if (const auto outcome = io.result(read.io_index); !outcome)
      return failed(ErrorCode::io_failed, "segment {} chunk {} block {} cannot be read", block,
                    outcome.error().os_errno);
    if (layout::chunk_block_checksum(segment_, chunk_.shape.chunk, block, this->block(read.index)) != read.checksum &&
        !base::broken(base::Mutant::trust_blocks))
      return failed(ErrorCode::corrupt, "segment {} chunk {} block {} fails its checksum", block, 0);
  }
  if (reserve_bytes_.size() == 0) return {};
  PARAPET_CHECK(io.result(reserve_io_));
  // Each record goes on where the one before ends: one that an earlier reserve left in this place does not.
  const auto stale = [&](std::size_t at) {
    return failed(ErrorCode::corrupt, "segment {} chunk {}: the reserve has an old record at {}",
                  static_cast<std::uint32_t>(at), 0);
  };
  std::vector<layout::UpdateId> last = chunk_.tag.home;
  for (std::size_t at = 0; at < reserve_bytes_.size();) {
    PARAPET_TRY(layout::ReserveRecord record,
                layout::decode_reserve_record(segment_, chunk_.shape.chunk, static_cast<std::uint32_t>(at),
                                              chunk_.shape.tag.chain_count, chunk_.shape.chunk_size,
                                              reserve_bytes_.span().subspan(at)));
    if (record.from != last) return stale(at);
    last = record.last;
    at += layout::reserve_record_size(record);
    reserve_.push_back(std::move(record));
  }
  if (last != chunk_.tag.reserved) return stale(reserve_bytes_.size());
  return {};
}

const std::uint8_t* HomeReader::block(std::size_t index) const { return bytes_.data() + index * block_size; }

}  // namespace parapet::store

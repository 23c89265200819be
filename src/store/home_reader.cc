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
  add_reads(store, home, io);
  if (!with_reserve || chunk.tag.reserve_used == 0) return;
  reserve_bytes_ = env::IoBuffer(chunk.tag.reserve_used);
  reserve_io_ = io.read(store.disk_, home + reserve_offset(chunk.shape), reserve_bytes_);
}

void HomeReader::add_reads(Store& store, std::uint64_t home, env::IoBatch& io) {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    std::uint8_t* const to = bytes_.data() + i * block_size;
    const std::uint32_t checksum = chunk_.tag.checksums[blocks_[i]];
    if (checksum == layout::checksum_unwritten) {
      std::memset(to, 0, block_size);
    } else if (const auto image = store.images_.find(home + std::uint64_t{blocks_[i]} * block_size); !image.empty()) {
      std::memcpy(to, image.data(), block_size);
    } else if (!reads_.empty() && reads_.back().index + reads_.back().checksums.size() == i &&
               blocks_[i - 1] + 1 == blocks_[i]) {
      reads_.back().checksums.push_back(checksum);
    } else {
      reads_.push_back({i, {checksum}, 0});
    }
  }
  for (Read& read : reads_)
    read.io_index = io.read(store.disk_, home + std::uint64_t{blocks_[read.index]} * block_size,
                            bytes_.part(read.index * block_size, read.checksums.size() * block_size));
}

Error HomeReader::failed(ErrorCode code, const char* reason, std::size_t place, int os_errno) const {
  return {code, "read", reason, {segment_.value, chunk_.shape.chunk, place}, os_errno};
}

Result<void> HomeReader::finish(const env::IoBatch& io) {
  if (given_up_) return failed(ErrorCode::corrupt, "segment {} chunk {} has been given up", 0, 0);
  for (const Read& read : reads_) PARAPET_CHECK(check(read, io));
  return reserve_bytes_.size() == 0 ? Result<void>() : take_reserve(io);
}

Result<void> HomeReader::check(const Read& read, const env::IoBatch& io) const {
  if (const auto outcome = io.result(read.io_index); !outcome)
    return failed(ErrorCode::io_failed, "segment {} chunk {} block {} cannot be read", blocks_[read.index],
                  outcome.error().os_errno);
  for (std::size_t i = 0; i < read.checksums.size(); ++i) {
    const std::uint32_t block = blocks_[read.index + i];
    const std::uint32_t found =
        layout::chunk_block_checksum(segment_, chunk_.shape.chunk, block, this->block(read.index + i));
    if (found != read.checksums[i] && !base::broken(base::Mutant::trust_blocks))
      return failed(ErrorCode::corrupt, "segment {} chunk {} block {} fails its checksum", block, 0);
  }
  return {};
}

/// Each record goes on where the one before ends: one that an earlier reserve left in this place does not.
Result<void> HomeReader::take_reserve(const env::IoBatch& io) {
  PARAPET_CHECK(io.result(reserve_io_));
  constexpr const char* stale = "segment {} chunk {}: the reserve has an old record at {}";
  std::vector<layout::UpdateId> last = chunk_.tag.home;
  for (std::size_t at = 0; at < reserve_bytes_.size();) {
    PARAPET_TRY(layout::ReserveRecord record,
                layout::decode_reserve_record(segment_, chunk_.shape.chunk, static_cast<std::uint32_t>(at),
                                              chunk_.shape.tag.chain_count, chunk_.shape.chunk_size,
                                              reserve_bytes_.span().subspan(at)));
    if (record.from != last) return failed(ErrorCode::corrupt, stale, at, 0);
    last = record.last;
    at += layout::reserve_record_size(record);
    reserve_.push_back(std::move(record));
  }
  if (last != chunk_.tag.reserved) return failed(ErrorCode::corrupt, stale, reserve_bytes_.size(), 0);
  return {};
}

const std::uint8_t* HomeReader::block(std::size_t index) const { return bytes_.data() + index * block_size; }

}  // namespace parapet::store

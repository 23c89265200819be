#include "store/chunk_reader.h"

#include <cstring>

#include "base/mutant.h"
#include "layout/shard_header.h"

namespace parapet::store {
namespace {

using layout::block_size;

/// The bytes of a block in an update that has it.
const std::uint8_t* image_of(const Record& record, std::uint32_t block) {
  return record.payload.data() + std::size_t{block - record.header.offset / block_size} * block_size;
}

bool has_block(const Record& record, std::uint32_t block) {
  const std::uint32_t first = record.header.offset / block_size;
  return block >= first && block - first < record.checksums.size();
}

/// The newest update of the block that is no later than `upto`.
const Record* find_update(const Chunk& chunk, std::uint32_t block, const std::optional<layout::UpdateId>& upto) {
  const auto newest = chunk.newest.find(block);
  if (newest == chunk.newest.end()) return nullptr;
  if (!upto || newest->second->header.id <= *upto) return newest->second.get();
  for (auto it = chunk.updates.rbegin(); it != chunk.updates.rend(); ++it)
    if ((*it)->header.id <= *upto && has_block(**it, block)) return it->get();
  return nullptr;
}

}  // namespace

ChunkReader::ChunkReader(Store& store, Chunk& chunk, std::uint32_t first_block, std::uint32_t count, env::IoBuffer into,
                         std::optional<layout::UpdateId> upto)
    : store_(store), chunk_(chunk), first_block_(first_block), into_(std::move(into)) {
  const env::Lock lock(*store.mutex_);
  const layout::ChunkSlot& slot = store.table_[chunk.slot_index];
  segment_ = slot.segment;
  home_offset_ = store.home_offset(slot);
  given_up_ = chunk.given_up;
  if (given_up_) return;
  for (std::uint32_t block = first_block; block < first_block + count; ++block) {
    std::uint8_t* const to = into_.data() + std::size_t{block - first_block} * block_size;
    const std::uint32_t checksum = chunk.tag.checksums[block];
    if (const Record* update = find_update(chunk, block, upto)) {
      std::memcpy(to, image_of(*update, block), block_size);
    } else if (checksum == layout::checksum_unwritten) {
      std::memset(to, 0, block_size);
    } else if (const auto image = store.images_.find(home_offset_ + std::uint64_t{block} * block_size);
               !image.empty()) {
      std::memcpy(to, image.data(), block_size);
    } else if (!parts_.empty() && parts_.back().first_block + parts_.back().checksums.size() == block) {
      parts_.back().checksums.push_back(checksum);
    } else {
      parts_.push_back({block, {checksum}, 0});
    }
  }
}

void ChunkReader::add_reads(env::IoBatch& io) {
  for (Part& part : parts_) {
    const std::size_t at = std::size_t{part.first_block - first_block_} * block_size;
    part.io_index = io.read(store_.disk_, home_offset_ + std::uint64_t{part.first_block} * block_size,
                            into_.part(at, part.checksums.size() * block_size));
  }
}

Result<void> ChunkReader::finish(const env::IoBatch& io) const {
  if (given_up_)
    return Error{.code = ErrorCode::corrupt,
                 .operation = "read",
                 .reason = "segment {} chunk {} has been given up",
                 .values = {segment_.value, chunk_.shape.chunk}};
  for (const Part& part : parts_) {
    const auto failed = [&](ErrorCode code, const char* reason, std::uint32_t block, int os_errno) {
      return Error{code, "read", reason, {segment_.value, chunk_.shape.chunk, block}, os_errno};
    };
    if (const auto outcome = io.result(part.io_index); !outcome)
      return failed(ErrorCode::io_failed, "segment {} chunk {} block {} cannot be read", part.first_block,
                    outcome.error().os_errno);
    for (std::uint32_t i = 0; i < part.checksums.size(); ++i) {
      const std::uint32_t block = part.first_block + i;
      const std::uint8_t* bytes = into_.data() + std::size_t{block - first_block_} * block_size;
      if (layout::chunk_block_checksum(segment_, chunk_.shape.chunk, block, bytes) != part.checksums[i] &&
          !base::broken(base::Mutant::trust_blocks))
        return failed(ErrorCode::corrupt, "segment {} chunk {} block {} fails its checksum", block, 0);
    }
  }
  return {};
}

}  // namespace parapet::store

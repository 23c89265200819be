#include "store/chunk_loader.h"

#include <cstring>

#include "base/try.h"

namespace parapet::store {

using layout::SegmentId;

ChunkLoader::ChunkLoader(Store& store, SegmentId segment) : store_(store) {
  const env::Lock lock(*store.mutex_);
  if (const auto prepared = prepare(segment); !prepared) error_ = prepared.error();
}

Result<void> ChunkLoader::prepare(SegmentId segment) {
  const auto index = store_.table_.find(segment);
  if (!index)
    return Error{.code = ErrorCode::not_found,
                 .operation = "segment",
                 .reason = "{} is not on this device",
                 .values = {segment.value}};
  if (store_.damaged_.contains(segment))
    return Error{.code = ErrorCode::corrupt,
                 .operation = "segment",
                 .reason = "the log of a device lacks updates of {}",
                 .values = {segment.value}};
  if (const auto it = store_.chunks_.find(segment); it != store_.chunks_.end()) {
    chunk_ = it->second;
    known_ = true;
    return {};
  }
  slot_ = store_.table_[*index];
  PARAPET_TRY(ChunkShape shape, store_.shape_of(slot_));
  chunk_ = std::make_shared<Chunk>(*index, std::move(shape));
  tag_offset_ = store_.home_offset(slot_) + chunk_->shape.chunk_size;
  tag_bytes_ = env::IoBuffer(layout::tag_size(chunk_->shape.tag));
  const auto image = store_.images_.find(tag_offset_);
  reads_ = image.size() != tag_bytes_.size();
  if (!reads_) std::memcpy(tag_bytes_.data(), image.data(), image.size());
  return {};
}

void ChunkLoader::add_read(env::IoBatch& io) {
  if (reads_) io_index_ = io.read(store_.disk_, tag_offset_, tag_bytes_);
}

Result<ChunkPtr> ChunkLoader::finish(const env::IoBatch& io) {
  if (error_) return *error_;
  if (known_) return chunk_;
  PARAPET_CHECK(take_tag(io));
  const env::Lock lock(*store_.mutex_);
  return store_.chunks_[slot_.segment] = chunk_;
}

Result<void> ChunkLoader::take_tag(const env::IoBatch& io) {
  if (reads_) PARAPET_CHECK(io.result(io_index_));
  PARAPET_TRY(chunk_->tag, layout::decode_tag(slot_.segment, slot_.chunk, chunk_->shape.tag, tag_bytes_.span()));
  if (chunk_->tag.reserve_used > reserve_capacity(chunk_->shape, slot_))
    return Error{.code = ErrorCode::corrupt,
                 .operation = "chunk tag",
                 .reason = "the reserve of segment {} chunk {} is larger than its place",
                 .values = {slot_.segment.value, slot_.chunk}};
  chunk_->committed = chunk_->tip = chunk_->tag.reserved;
  return {};
}

}  // namespace parapet::store

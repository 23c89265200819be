// Reads of a pool.
#include <algorithm>
#include <cstring>

#include "base/try.h"
#include "layout/shard_header.h"
#include "pool/pool.h"
#include "pool/snapshot.h"
#include "store/chunk_reader.h"
#include "store/io_time.h"

namespace parapet::pool {

using layout::block_size;

Result<void> Pool::read(layout::SegmentId id, std::uint64_t offset, std::span<std::uint8_t> bytes) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  if (offset > segment->size() || bytes.size() > segment->size() - offset)
    return Error{.code = ErrorCode::invalid_argument,
                 .operation = "read",
                 .reason = "{} bytes from {} on are beyond the segment's {}",
                 .values = {bytes.size(), offset, segment->size()}};
  const auto pieces = pieces_of(*segment, offset, bytes.size());
  auto reads = chunk_reads(*segment, pieces);
  // Without locks first: if a home changes under the read, its checksum says so.
  if (!read_plainly(*segment, reads).empty()) {
    std::vector<BlockRange> ranges;
    for (const BlockRead& read : reads) ranges.push_back({read.chunk, read.first_block, read.first_block + read.count});
    const RangeLocks::Held held(ranges_, id, std::move(ranges));
    PARAPET_CHECK(read_blocks(segment, reads));
  }
  for (const Piece& piece : pieces) {
    const BlockRead& read = *std::ranges::find(reads, piece.chunk, &BlockRead::chunk);
    const std::size_t from = piece.offset - std::size_t{read.first_block} * block_size;
    std::memcpy(bytes.data() + piece.position, read.into.data() + from, piece.length);
  }
  return {};
}

/// One read for each chunk: the pieces of a request follow each other in it.
std::vector<Pool::BlockRead> Pool::chunk_reads(const Segment& segment, std::span<const Piece> pieces) {
  std::vector<BlockRead> reads;
  for (unsigned chunk = 0; chunk < segment.code.k(); ++chunk) {
    std::uint32_t begin = UINT32_MAX, end = 0;
    for (const Piece& piece : pieces) {
      if (piece.chunk != chunk) continue;
      begin = std::min(begin, piece.first_block());
      end = std::max(end, piece.first_block() + piece.block_count());
    }
    if (begin < end) reads.push_back({chunk, begin, end - begin, env::IoBuffer(std::size_t{end - begin} * block_size)});
  }
  return reads;
}

std::vector<std::size_t> Pool::read_plainly(Segment& segment, std::span<const BlockRead> reads) {
  std::vector<std::size_t> uncached;
  for (std::size_t i = 0; i < reads.size(); ++i)
    if (!cache_.find({segment.id, reads[i].chunk, reads[i].first_block}, reads[i].into.span())) uncached.push_back(i);
  std::vector<std::size_t> failed;
  if (uncached.empty()) return failed;
  std::vector<std::pair<std::size_t, Holder>> sources;
  {
    const env::Lock lock(*stage_);
    for (std::size_t i : uncached) {
      if (segment.counting.contains(reads[i].chunk)) {
        sources.emplace_back(i, segment.holders[reads[i].chunk]);
      } else {
        failed.push_back(i);
      }
    }
  }
  env::IoBatch io(world_);
  std::vector<std::pair<std::size_t, store::ChunkReader>> readers;
  readers.reserve(sources.size());
  for (const auto& [i, holder] : sources) {
    readers.emplace_back(
        i, store::ChunkReader(*holder.store, *holder.chunk, reads[i].first_block, reads[i].count, reads[i].into));
    readers.back().second.add_reads(io);
  }
  io.run(world_.now() + store::io_time_max);
  for (const auto& [index, reader] : readers)
    if (!reader.finish(io)) failed.push_back(index);
  return failed;
}

Result<void> Pool::read_blocks(const SegmentPtr& segment, std::span<BlockRead> reads) {
  for (std::size_t index : read_plainly(*segment, reads)) {
    BlockRead& read = reads[index];
    note_if_counting(*segment, read.chunk);
    // A read that was given up may still land in its buffer.
    read.into = env::IoBuffer(read.into.size());
    PARAPET_CHECK(read_single_blocks(segment, read));
  }
  return {};
}

/// Block by block: one that can be read, perhaps from memory, is newer than what the others have committed.
Result<void> Pool::read_single_blocks(const SegmentPtr& segment, const BlockRead& read) {
  std::vector<BlockRead> blocks;
  for (std::uint32_t i = 0; i < read.count; ++i)
    blocks.push_back({read.chunk, read.first_block + i, 1, env::IoBuffer(block_size)});
  const auto failed = read_plainly(*segment, blocks);
  for (std::uint32_t i = 0; i < read.count; ++i) {
    const auto into = read.into.span().subspan(std::size_t{i} * block_size, block_size);
    if (std::ranges::find(failed, i) == failed.end()) {
      std::ranges::copy(blocks[i].into.span(), into.data());
    } else {
      PARAPET_CHECK(read_degraded(segment, read.chunk, read.first_block + i, into));
    }
  }
  return {};
}

/// One block. A row of it serves all blocks of a code with sub-chunks, but degraded reads are rare enough to read it
/// again.
Result<void> Pool::read_degraded(const SegmentPtr& segment, unsigned chunk, std::uint32_t block,
                                 std::span<std::uint8_t> into) {
  Snapshot snapshot(world_, *stage_, segment);
  if (const StagedImage* image = snapshot.staged(chunk, block)) {
    std::ranges::copy(image->bytes.span(), into.data());
    return {};
  }
  const auto place = segment->rows.place_of(std::size_t{block} * block_size);
  std::vector<std::uint8_t> row(segment->rows.row_size());
  PARAPET_CHECK(snapshot.reconstruct_row(chunk, place.row, row));
  std::memcpy(into.data(), row.data() + place.offset, block_size);
  note_damage(*segment, snapshot.unreadable());
  return {};
}

/// A chunk that counts and cannot be read is damaged.
void Pool::note_if_counting(Segment& segment, unsigned holder) {
  bool counts = false;
  {
    const env::Lock lock(*stage_);
    counts = segment.counting.contains(holder);
  }
  if (counts) note_damage(segment.id, holder);
}

Result<void> Pool::verify(layout::SegmentId id) {
  PARAPET_TRY(const SegmentPtr segment, this->segment(id));
  Snapshot snapshot(world_, *stage_, segment);
  const std::size_t size = segment->rows.row_size();
  std::vector<std::vector<std::uint8_t>> chunks(segment->code.n(), std::vector<std::uint8_t>(size));
  for (std::uint32_t row = 0; row < segment->rows.row_count(); ++row) {
    std::vector<ConstRegion> regions;
    for (unsigned chunk = 0; chunk < segment->code.n(); ++chunk) {
      if (snapshot.counting().contains(chunk)) {
        PARAPET_CHECK(snapshot.read_row(chunk, row, chunks[chunk]));
      } else {
        PARAPET_CHECK(snapshot.reconstruct_row(chunk, row, chunks[chunk]));
      }
      regions.emplace_back(chunks[chunk].data(), size);
    }
    PARAPET_TRY(const ChunkSet wrong, segment->code.verify(regions));
    if (!wrong.empty())
      return Error{.code = ErrorCode::corrupt,
                   .operation = "verify",
                   .reason = "segment {} row {}: parity chunk {} is not that of the data",
                   .values = {id.value, row, *wrong.begin()}};
  }
  return {};
}

}  // namespace parapet::pool

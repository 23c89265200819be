#include "codec/plan_impl.h"

#include <algorithm>

#include "base/assert.h"
#include "base/try.h"

namespace parapet::codec {

namespace {

/// Positions of sub-chunks, and which sub-chunks are wanted there.
struct Slice {
  std::size_t begin;
  std::size_t end;
  SubRange subs;
};

/// A byte range of a chunk, by position. It begins at position x of sub-chunk f and ends at position y of l:
///
///     position   0        y        x       size          0        x        y       size
///     sub f      .        .        #########      or     .        ##################
///     between    ###########################             ###########################
///     sub l      ##########        .       .             ###################        .
///
/// so at most three slices have the same sub-chunks throughout.
std::vector<Slice> slices_of(std::size_t offset, std::size_t length, std::size_t sub_size) {
  const auto first = static_cast<std::uint32_t>(offset / sub_size);
  const auto last = static_cast<std::uint32_t>((offset + length - 1) / sub_size);
  const std::size_t x = offset - first * sub_size;
  const std::size_t y = offset + length - last * sub_size;
  if (first == last) return {{x, y, {first, last + 1}}};
  const std::size_t cuts[] = {0, std::min(x, y), std::max(x, y), sub_size};
  std::vector<Slice> slices;
  for (int i = 0; i < 3; ++i) {
    const SubRange subs{cuts[i] >= x ? first : first + 1, cuts[i] < y ? last + 1 : last};
    if (cuts[i] < cuts[i + 1] && subs.first < subs.last) slices.push_back({cuts[i], cuts[i + 1], subs});
  }
  return slices;
}

ChunkRange range_of(const SubChunk& sub_chunk, const PlanPiece& piece, std::size_t sub_size) {
  return {sub_chunk.chunk, sub_chunk.sub * sub_size + piece.begin, piece.length};
}

/// Sorts ranges and joins those of a chunk that touch.
std::vector<ChunkRange> join(std::vector<ChunkRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const ChunkRange& a, const ChunkRange& b) {
    return a.chunk != b.chunk ? a.chunk < b.chunk : a.offset < b.offset;
  });
  std::vector<ChunkRange> result;
  for (const ChunkRange& range : ranges) {
    if (!result.empty() && result.back().chunk == range.chunk &&
        result.back().offset + result.back().length >= range.offset) {
      const std::size_t end = std::max(result.back().offset + result.back().length, range.offset + range.length);
      result.back().length = end - result.back().offset;
    } else {
      result.push_back(range);
    }
  }
  return result;
}

Location locate(const std::vector<ChunkRange>& joined, const ChunkRange& part) {
  const auto found = std::find_if(joined.begin(), joined.end(), [&](const ChunkRange& range) {
    return range.chunk == part.chunk && range.offset <= part.offset &&
           part.offset + part.length <= range.offset + range.length;
  });
  PARAPET_ASSERT(found != joined.end());
  return {static_cast<std::size_t>(found - joined.begin()), part.offset - found->offset};
}

void locate_regions(PlanImpl& plan, std::size_t sub_size) {
  std::vector<ChunkRange> reads;
  for (const PlanPiece& piece : plan.pieces)
    for (const SubChunk& source : piece.recipe->reads) reads.push_back(range_of(source, piece, sub_size));
  plan.reads = join(std::move(reads));
  for (PlanPiece& piece : plan.pieces) {
    for (const SubChunk& source : piece.recipe->reads)
      piece.inputs.push_back(locate(plan.reads, range_of(source, piece, sub_size)));
    for (const SubChunk& target : piece.recipe->outputs)
      piece.outputs.push_back(locate(plan.outputs, range_of(target, piece, sub_size)));
  }
}

}  // namespace

Result<std::shared_ptr<const PlanImpl>> make_plan(const CodeImpl& code, const ChunkSet& available,
                                                  const ChunkSet& wanted, std::size_t offset, std::size_t length,
                                                  std::size_t chunk_size) {
  const std::size_t sub_size = chunk_size / code.shape().alpha;
  auto plan = std::make_shared<PlanImpl>();
  for (const unsigned chunk : wanted) plan->outputs.push_back({chunk, offset, length});
  for (const Slice& slice : slices_of(offset, length, sub_size)) {
    PARAPET_TRY(auto recipe, code.recipe({available, wanted, slice.subs}));
    plan->pieces.push_back({std::move(recipe), slice.begin, slice.end - slice.begin, {}, {}});
  }
  locate_regions(*plan, sub_size);
  return std::shared_ptr<const PlanImpl>(std::move(plan));
}

}  // namespace parapet::codec

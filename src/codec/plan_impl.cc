#include "codec/plan_impl.h"

#include <algorithm>

#include "base/assert.h"
#include "base/try.h"

namespace parapet::codec {

namespace {

/// Positions of the packets of a round, and which sub-chunks are wanted there.
struct Slice {
  std::size_t round;
  std::size_t begin;
  std::size_t end;
  SubRange subs;
};

/// The part of a byte range that lies in one round, by position. It begins at position x of packet f and ends at
/// position y of packet l:
///
///     position   0        y        x       size          0        x        y       size
///     packet f   .        .        #########      or     .        ##################
///     between    ###########################             ###########################
///     packet l   ##########        .       .             ###################        .
///
/// so at most three slices have the same sub-chunks throughout.
void append_slices(std::vector<Slice>& slices, std::size_t round, std::size_t offset, std::size_t length,
                   std::size_t packet_size) {
  const auto first = static_cast<std::uint32_t>(offset / packet_size);
  const auto last = static_cast<std::uint32_t>((offset + length - 1) / packet_size);
  const std::size_t x = offset - first * packet_size;
  const std::size_t y = offset + length - last * packet_size;
  if (first == last) return slices.push_back({round, x, y, {first, last + 1}});
  const std::size_t cuts[] = {0, std::min(x, y), std::max(x, y), packet_size};
  for (int i = 0; i < 3; ++i) {
    const SubRange subs{cuts[i] >= x ? first : first + 1, cuts[i] < y ? last + 1 : last};
    if (cuts[i] < cuts[i + 1] && subs.first < subs.last) slices.push_back({round, cuts[i], cuts[i + 1], subs});
  }
}

std::vector<Slice> slices_of(std::size_t offset, std::size_t length, const Packets& packets) {
  std::vector<Slice> slices;
  for (const std::size_t end = offset + length; offset < end;) {
    const std::size_t round = offset / packets.round_size();
    const std::size_t in_round = offset % packets.round_size();
    const std::size_t part = std::min(end - offset, packets.round_size() - in_round);
    append_slices(slices, round, in_round, part, packets.size());
    offset += part;
  }
  return slices;
}

ChunkRange range_of(const SubChunk& sub_chunk, const PlanPiece& piece, const Packets& packets) {
  return {sub_chunk.chunk, packets.offset(piece.round, sub_chunk.sub) + piece.begin, piece.length};
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

/// Where a part lies in ranges of which one holds it.
Location locate(const std::vector<ChunkRange>& joined, const ChunkRange& part) {
  const auto after = std::upper_bound(joined.begin(), joined.end(), part, [](const ChunkRange& a, const ChunkRange& b) {
    return a.chunk != b.chunk ? a.chunk < b.chunk : a.offset < b.offset;
  });
  PARAPET_ASSERT(after != joined.begin());
  const auto found = after - 1;
  PARAPET_ASSERT(found->chunk == part.chunk && part.offset - found->offset <= found->length - part.length);
  return {static_cast<std::size_t>(found - joined.begin()), part.offset - found->offset};
}

void locate_regions(PlanImpl& plan, const Packets& packets) {
  std::vector<ChunkRange> reads;
  for (const PlanPiece& piece : plan.pieces)
    for (const SubChunk& source : piece.recipe->reads) reads.push_back(range_of(source, piece, packets));
  plan.reads = join(std::move(reads));
  for (PlanPiece& piece : plan.pieces) {
    for (const SubChunk& source : piece.recipe->reads)
      piece.inputs.push_back(locate(plan.reads, range_of(source, piece, packets)));
    for (const SubChunk& target : piece.recipe->outputs)
      piece.outputs.push_back(locate(plan.outputs, range_of(target, piece, packets)));
  }
}

}  // namespace

Result<std::shared_ptr<const PlanImpl>> make_plan(const CodeImpl& code, const ChunkSet& available,
                                                  const ChunkSet& wanted, std::size_t offset, std::size_t length,
                                                  std::size_t chunk_size, RepairGoal goal) {
  const Packets packets(code.shape(), chunk_size);
  auto plan = std::make_shared<PlanImpl>();
  for (const unsigned chunk : wanted) plan->outputs.push_back({chunk, offset, length});
  for (const Slice& slice : slices_of(offset, length, packets)) {
    PARAPET_TRY(auto recipe, code.recipe({available, wanted, slice.subs, goal}));
    plan->pieces.push_back({std::move(recipe), slice.round, slice.begin, slice.end - slice.begin, {}, {}});
  }
  locate_regions(*plan, packets);
  return std::shared_ptr<const PlanImpl>(std::move(plan));
}

}  // namespace parapet::codec

#include "pool/segment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/prng.h"

namespace parapet::pool {
namespace {

Segment segment(const char* code, std::uint32_t chunk_size) {
  return Segment({1}, Code::parse(code).value(), chunk_size);
}

TEST(Segment, HasTheSizeOfItsDataChunks) {
  const Segment made = segment("rs(4,2)", 128 << 10);
  EXPECT_EQ(made.size(), 512u << 10);
  EXPECT_EQ(made.holders.size(), 6u);
  EXPECT_EQ(made.chains.size(), 4u);
  EXPECT_EQ(made.unit, 64u << 10);
  EXPECT_EQ(segment("rs(4,2)", 96 << 10).unit, 32u << 10) << "a chunk is whole units";
  EXPECT_EQ(segment("rs(4,2)", 4096).unit, 4096u);
}

TEST(Segment, HoldersOfAChainAreItsChunkAndTheParityThatDependsOnIt) {
  EXPECT_EQ(segment("rs(4,2)", 4096).holders_of(1), (layout::HolderSet{1, 4, 5}));
  const Segment local = segment("lrc(4,2,2)", 4096);
  for (unsigned chain = 0; chain < 4; ++chain) {
    EXPECT_EQ(local.holders_of(chain), local.code.parities_of(chain) | layout::HolderSet{chain});
    EXPECT_LT(local.holders_of(chain).count(), 5u) << "not the parity of the other group";
  }
}

TEST(Segment, AUnitIsOnePiece) {
  const Segment made = segment("rs(4,2)", 128 << 10);
  const auto pieces = pieces_of(made, 64 << 10, 64 << 10);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].chunk, 1u);
  EXPECT_EQ(pieces[0].offset, 0u);
  EXPECT_EQ(pieces[0].length, 64u << 10);
  EXPECT_EQ(pieces[0].position, 0u);
}

TEST(Segment, PiecesGoRoundTheDataChunks) {
  const Segment made = segment("rs(4,2)", 128 << 10);
  const auto pieces = pieces_of(made, (3 * 64 << 10) + 1000, 64 << 10);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].chunk, 3u);
  EXPECT_EQ(pieces[0].offset, 1000u);
  EXPECT_EQ(pieces[0].length, (64u << 10) - 1000);
  EXPECT_EQ(pieces[1].chunk, 0u);
  EXPECT_EQ(pieces[1].offset, 64u << 10) << "its second unit";
  EXPECT_EQ(pieces[1].length, 1000u);
  EXPECT_EQ(pieces[1].position, (64u << 10) - 1000);
}

TEST(Segment, NothingHasNoPieces) { EXPECT_TRUE(pieces_of(segment("rs(4,2)", 4096), 100, 0).empty()); }

TEST(Segment, APieceTouchesWholeBlocks) {
  Piece piece;
  piece.offset = 4095;
  piece.length = 2;
  EXPECT_EQ(piece.first_block(), 0u);
  EXPECT_EQ(piece.block_count(), 2u);
  piece.offset = 8192;
  piece.length = 4096;
  EXPECT_EQ(piece.first_block(), 2u);
  EXPECT_EQ(piece.block_count(), 1u);
  piece.length = 4097;
  EXPECT_EQ(piece.block_count(), 2u);
}

// Every byte of a segment has a place of its own.
TEST(Segment, PiecesOfTheWholeCoverEveryChunkOnce) {
  for (const auto& [code, chunk_size] :
       {std::pair("rs(4,2)", 96u << 10), {"rs(1,1)", 8192}, {"xrs(4,2)", 192u << 10}}) {
    const Segment made = segment(code, chunk_size);
    std::vector<std::vector<int>> seen(made.code.k(), std::vector<int>(chunk_size));
    std::size_t position = 0;
    for (const Piece& piece : pieces_of(made, 0, made.size())) {
      EXPECT_EQ(piece.position, position);
      position += piece.length;
      for (std::uint32_t i = 0; i < piece.length; ++i) ++seen.at(piece.chunk).at(piece.offset + i);
    }
    EXPECT_EQ(position, made.size());
    for (const auto& chunk : seen)
      EXPECT_TRUE(std::ranges::all_of(chunk, [](int count) { return count == 1; })) << code;
  }
}

// A part of a request lies where it lies in the whole.
TEST(Segment, PiecesOfAPartAreThoseOfTheWhole) {
  const Segment made = segment("rs(3,2)", 96 << 10);
  base::Prng prng(3);
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t offset = prng.below(made.size());
    const std::size_t length = 1 + prng.below(made.size() - offset);
    const std::size_t skip = prng.below(length);
    const Piece first = pieces_of(made, offset + skip, 1).at(0);
    bool found = false;
    for (const Piece& piece : pieces_of(made, offset, length)) {
      if (skip < piece.position || skip - piece.position >= piece.length) continue;
      found = true;
      EXPECT_EQ(first.chunk, piece.chunk);
      EXPECT_EQ(first.offset, piece.offset + (skip - piece.position));
    }
    EXPECT_TRUE(found);
  }
}

}  // namespace
}  // namespace parapet::pool

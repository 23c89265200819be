// The order in which the unknowns of a sparse system can be computed.
#pragma once

#include <cstdint>
#include <vector>

namespace parapet::codec {

/// Equations that give as many unknowns, when those of the blocks before are known.
struct Block {
  std::vector<std::uint32_t> equations;
  std::vector<std::uint32_t> unknowns;
};

/// unknowns_of[i]: the unknowns 0..count-1 in equation i, as many equations as unknowns, of an invertible system.
/// The smallest blocks, each after those that it needs: the strong components of the equations when each is matched
/// with one of its unknowns (Dulmage, Mendelsohn 1958). A chain of single unknowns, as in the decoding of array codes,
/// comes out as blocks of one.
std::vector<Block> block_order(const std::vector<std::vector<std::uint32_t>>& unknowns_of);

}  // namespace parapet::codec

// The encoder of RDP and EVENODD: both parities in one pass over the data.
#pragma once

#include "codec/linear_map.h"
#include "codec/recipe.h"

namespace parapet::codec {

/// For codes of two parities whose chunks are columns of an array of alpha rows, alpha + 1 prime: the sums of the rows
/// and those of the diagonals with `addend`. The encoder from the checks of `map`, and where the kernels can hold so
/// many sums, one pass as its shortcut.
Recipe make_diagonal_encoder(const LinearMap& map, const Shape& shape, gf::DiagonalAddend addend,
                             const gf::Kernels& kernels);

}  // namespace parapet::codec

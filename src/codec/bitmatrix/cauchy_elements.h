// The elements of Jerasure's Cauchy matrices.
#pragma once

#include <cstdint>
#include <vector>

#include "codec/bitmatrix/binary_field.h"

namespace parapet::codec {

/// Rows of k elements, one row per parity.
using ElementMatrix = std::vector<std::vector<std::uint32_t>>;

/// Element (i, j) is 1 / (i XOR (m + j)).
ElementMatrix cauchy_orig_elements(unsigned k, unsigned m, const BinaryField& field);

/// The same code with fewer ones: columns scaled so that the first row is all ones, the other rows scaled by whichever
/// of their elements leaves fewest ones. For two parities with w <= 11, the elements with fewest ones.
ElementMatrix cauchy_good_elements(unsigned k, unsigned m, const BinaryField& field);

/// Ones in the w x w bit matrix of an element.
unsigned one_count(std::uint32_t element, const BinaryField& field);

}  // namespace parapet::codec

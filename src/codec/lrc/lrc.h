// Locally repairable codes: a parity for each of l groups, so that one loss is repaired from its group alone.
//
// Sources: C. Huang et al., "Erasure coding in Windows Azure Storage", USENIX ATC 2012 (groups of data, and the
// coefficients for two global parities); S. Kadekodi et al., "Practical design considerations for wide locally
// recoverable codes", FAST 2023 (groups=uniform: the global parities are members of groups too).
//
// Chunks: k data, l local parities, g global parities; the groups are runs of consecutive data, the first ones
// larger by one where k is not a multiple of l. The global parities are rows 1..g of a matrix M of which any x rows and
// x columns are independent, and row 0 is all ones; a local parity is the sum of its group. So
//
//   groups of data:   the sum of the local parities is row 0 of M times the data;
//   uniform groups:   the columns of M are scaled so that all its rows add up to ones. The data in the sum of the local
//                     parities then have coefficients M_0 + M_1 + ... + M_g, and the global parities in it take all but
//                     M_0 away again.
//
// Either way g + 1 independent parities remain, so any g + 1 losses are borne, and many larger ones.
// For g <= 2 the columns of M are (1, x, x^2), and the x of each group lie in a one-dimensional GF(16)-subspace of its
// own: then sums of two x of different groups differ, which with groups of data is all that it takes to decode every
// pattern that any code with these groups can decode (Azure's condition). Uniform groups miss a few of these.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// lrc(k,l,g[,groups=uniform]): m = l + g, tolerance g + 1.
MadeCode make_lrc(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

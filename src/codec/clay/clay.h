// Clay codes: MDS, with the least that a repair of one chunk can read.
//
// Source: M. Vajha et al., "Clay codes: moulding MDS codes to yield an MSR code", FAST 2018, with d = n - 1 helpers.
//
// With q = m, the k data chunks are filled up with virtual ones that are zero until n is a multiple of q; t = n / q.
// Node i is at place x = i mod q of column y = i / q; the parities are the last column. A chunk has alpha = q^t
// sub-chunks, the planes z = (z_0 ... z_(t-1)) with digits below q. What is stored is C; what is coded is U:
//
//   z_y  = x:   U(x,y; z) = C(x,y; z)
//   z_y != x:   U(x,y; z) = C(x,y; z) + g C(z_y,y; z with digit y = x)       coupled in pairs; g = 2
//
// In every plane by itself the U of all nodes are a Reed-Solomon codeword.
//
// Repair of node (x,y) reads of all n - 1 others the planes with z_y = x, a q-th of each: there the U of all other
// columns follow from what is read, so the codeword gives the U of column y; and these, with what is read of that
// column, give all planes of the lost node. Several losses: planes in the order of how many lost nodes are single in
// them; see `ClayLayers`.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// clay(k,m) with m from 2 to 32 and alpha at most 4096.
MadeCode make_clay(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

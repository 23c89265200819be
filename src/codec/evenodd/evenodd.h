// EVENODD: two parities by XOR alone.
//
// Source: M. Blaum, J. Brady, J. Bruck, J. Menon, "EVENODD: an efficient scheme for tolerating double disk failures in
// RAID architectures", IEEE Trans. Computers 44(2), 1995.
//
// With a prime p >= k, a chunk has p - 1 sub-chunks: column c of an array of p - 1 rows and p columns, of which those
// from k on are zero, and so is an imaginary row p - 1. The first parity holds the sums of the rows. Diagonal d is the
// cells (r, c) with r + c = d mod p; sub-chunk d of the second parity holds the sum of diagonal d and of diagonal p -
// 1, the adjuster S:
//
//     p = 5     0  1  2  3  4
//     row 0     0  1  2  3  S
//     row 1     1  2  3  S  0       the number of the diagonal in each cell
//     row 2     2  3  S  0  1
//     row 3     3  S  0  1  2
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// evenodd(k,2[,p=P]): p prime and at least k, by default the smallest.
MadeCode make_evenodd(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

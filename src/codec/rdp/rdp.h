// RDP: two parities by XOR alone, with the least XORs there can be.
//
// Source: P. Corbett et al., "Row-diagonal parity for double disk failure correction", FAST 2004. Reading only three
// quarters to repair one chunk: L. Xiang, Y. Xu, J. C. S. Lui, Q. Chang, "Optimal recovery of single disk failure in
// RDP code storage systems", SIGMETRICS 2010.
//
// With a prime p > k, a chunk has p - 1 sub-chunks: column c of an array of p - 1 rows, of which the columns from k to
// p - 2 are zero and column p - 1 is the first parity, the sums of the rows. Diagonal d is the cells (r, c) with
// r + c = d mod p, the first parity among them; sub-chunk d of the second parity is the sum of diagonal d. Diagonal
// p - 1 is not stored:
//
//     p = 5     0  1  2  3  P
//     row 0     0  1  2  3  .
//     row 1     1  2  3  .  0       the number of the diagonal in each cell
//     row 2     2  3  .  0  1
//     row 3     3  .  0  1  2
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// rdp(k,2[,p=P]): p prime and above k, by default the smallest.
MadeCode make_rdp(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

// Hitchhiker-XOR+: as XRS, with one more group of data chunks, so that groups are smaller and repairs read less.
//
// Sources: Rashmi et al., "A Hitchhiker's guide to fast and efficient data reconstruction in erasure-coded data
// centers", SIGCOMM 2014, section 4 (XOR+); Rashmi, Shah, Ramchandran, "A piggybacking design framework for read- and
// download-efficient distributed storage codes", IEEE Trans. IT 63(9), 2017, design 1. The order of groups and the
// matrix are our own.
//
// A chunk is a half a and a half b, as in XRS. The base code is Reed-Solomon with rows C_0 ... C_(m-1), the last all
// ones. The data are in m groups S_1 ... S_m; A_i is the sum of the halves a of group i, so that C_(m-1) . a is the sum
// of all A_i:
//
//              half a                             half b
//   parity 0   C_0 . a                            C_0 . b
//   parity r   C_r . a                            C_r . b + A_r                      0 < r < m-1
//   parity m-1 C_(m-1) . a + A_(m-1) + C_(m-1) . b     C_(m-1) . b + A_(m-1)
//
// The last parity's half a is what the plain one would be plus its half b, so nothing is lost and the code stays MDS.
// One lost data chunk of group i < m reads as in XRS, k + |S_i| halves. One of group m takes the sum of the last half a
// and of the halves b of parities 1 ... m-2: there all A cancel but A_m, at k + |S_m| + m - 2 halves. The groups' sizes
// make the mean over all data chunks least.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// hitchhiker(k,m) with m >= 2.
MadeCode make_hitchhiker(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

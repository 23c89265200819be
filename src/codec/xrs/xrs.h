// XRS: Reed-Solomon with piggybacks, which reads about a third less to repair a data chunk.
//
// Source: Rashmi et al., "A Hitchhiker's Guide to Fast and Efficient Data Reconstruction in Erasure-coded Data
// Centers", SIGCOMM 2014, section 4 (Hitchhiker-XOR); the bytes are those of templexxx/xrs.
//
// A chunk is a half `a` (sub-chunk 0) and a half `b` (sub-chunk 1). Both halves are coded with the Cauchy matrix; then
// data chunk i belongs to the group of parity 1 + i mod (m-1), and the halves a of a group are added to the half b of
// its parity, the piggyback:
//
//              half a              half b
//   data i     a_i                 b_i
//   parity 0   C_0 . a             C_0 . b
//   parity r   C_r . a             C_r . b  +  sum of a_i over the group of r
//
// The code stays MDS: halves a are plain Reed-Solomon, so they decode first; that frees halves b of their piggybacks.
// One lost data chunk i of group r is cheaper: b_i follows from the other halves b and that of parity 0; then C_r . b
// is known, and taking it and the group's other halves a from parity r's half b leaves a_i.
// That reads (k + |group|) / 2 chunks in place of k.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// xrs(k,m) with m >= 2.
MadeCode make_xrs(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

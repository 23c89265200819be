// Jerasure's codes over packets: Cauchy Reed-Solomon, and the minimum-density RAID-6 codes.
//
// Sources: J. S. Plank, L. Xu, "Optimizing Cauchy Reed-Solomon codes for fault-tolerant network storage applications",
// NCA 2006 (cauchy_orig, cauchy_good); J. S. Plank, "The RAID-6 Liberation codes", FAST 2008 (liberation);
// M. Blaum, R. M. Roth, "On lowest density MDS codes", IEEE Trans. IT 45(1), 1999 (blaum_roth); J. S. Plank, "A new
// minimum density RAID-6 code with a word size of eight", NCA 2008 (liber8tion). The bytes are those of Jerasure 2.0.
//
// A chunk has w sub-chunks, the packets of Jerasure, and each parity packet is the XOR of some data packets. Which ones
// says a matrix of w x w blocks of bits, one for each data chunk and parity chunk.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// cauchy_orig(k,m[,w=W][,packetsize=BYTES]), w = 8 by default, k + m <= 2^w.
MadeCode make_cauchy_orig(const CodeText& text, const gf::Kernels& kernels);
/// The same with elements of few ones.
MadeCode make_cauchy_good(const CodeText& text, const gf::Kernels& kernels);
/// liberation(k,2[,w=W]...): w prime, k <= w; by default the smallest.
MadeCode make_liberation(const CodeText& text, const gf::Kernels& kernels);
/// blaum_roth(k,2[,w=W]...): w + 1 prime, k <= w; by default the smallest. unsafe=yes takes other w.
MadeCode make_blaum_roth(const CodeText& text, const gf::Kernels& kernels);
/// liber8tion(k,2...): w = 8, k <= 8.
MadeCode make_liber8tion(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

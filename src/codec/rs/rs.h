// Reed-Solomon codes.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// rs(k,m) with options matrix=cauchy|isal|jerasure|vandermonde|par1 and unsafe=yes.
MadeCode make_rs(const CodeText& text, const gf::Kernels& kernels);

/// reed_sol_r6_op(k,2): Jerasure's RAID-6 by Reed-Solomon, w = 8; the bytes of matrix=isal.
MadeCode make_reed_sol_r6_op(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

// The two simplest codes, so that nothing above needs a case of its own for them: one XOR parity, and copies.
#pragma once

#include "codec/family_options.h"

namespace parapet::codec {

/// xor(k,1): the parity is the sum of the data.
MadeCode make_xor(const CodeText& text, const gf::Kernels& kernels);

/// replication(1,m): every parity is a copy of the data.
MadeCode make_replication(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

// Reed-Solomon codes.
#pragma once

#include <memory>

#include "codec/code_impl.h"
#include "codec/code_text.h"

namespace parapet::codec {

/// rs(k,m) with option matrix=cauchy|isal|jerasure|vandermonde. Errors: invalid_argument.
Result<std::shared_ptr<const CodeImpl>> make_rs(const CodeText& text, const gf::Kernels& kernels);

}  // namespace parapet::codec

// The chunk sizes that fit a code.
#pragma once

#include <cstdint>
#include <string>

#include "layout/rows.h"
#include "parapet/codec.h"
#include "shard/file_error.h"

namespace parapet::shard {

/// How the code's stripes are cut into rows; chunk sizes are multiples of its granule.
layout::Rows rows_of(const Code& code);

/// The largest chunk size of at most 1 MiB that fits the code, or the smallest that fits it.
std::uint64_t default_chunk_size(const Code& code);

/// The size `wanted`, or the default for 0. Errors, about `subject`: `invalid_argument` when it does not fit, with the
/// rule that it breaks and the nearest sizes that fit.
FileResult<std::uint32_t> choose_chunk_size(const std::string& subject, const Code& code, std::uint64_t wanted);

}  // namespace parapet::shard

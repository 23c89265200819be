// Which losses a code bears, by rank.
#pragma once

#include <cstdint>
#include <optional>

#include "codec/sparse_matrix.h"
#include "parapet/chunk_set.h"

namespace parapet::codec {

/// Whether the checks determine all sub-chunks of the chunks `lost`.
bool bears(const SparseMatrix& checks, unsigned alpha, const ChunkSet& lost);

/// The patterns of `loss_count` lost chunks of n.
struct PatternCount {
  std::uint64_t all = 0;
  std::uint64_t lost = 0;  ///< Those that the checks do not determine.
};

/// Tries every pattern. Nothing when that would take longer than some seconds.
std::optional<PatternCount> count_patterns(const SparseMatrix& checks, unsigned alpha, unsigned n, unsigned loss_count);

}  // namespace parapet::codec

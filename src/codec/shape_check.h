// The gate: every shape that a caller hands in is checked here, once. Behind it nothing is checked again.
#pragma once

#include <span>

#include "codec/code_impl.h"
#include "parapet/codec.h"

namespace parapet::codec {

/// `count` regions, none null, all of one legal chunk size, in host memory. Returns the chunk size.
Result<std::size_t> check_chunks(const Shape& shape, const char* operation, std::span<const ConstRegion> data,
                                 std::size_t data_count, std::span<const Region> parity, std::size_t parity_count);

/// n regions, some null. Errors: too_many_losses when all are.
Result<std::size_t> check_some_chunks(const Shape& shape, const char* operation, std::span<const ConstRegion> chunks);

/// m regions, some null; at least one is not.
Result<std::size_t> check_some_parity(const Shape& shape, const char* operation, std::span<const Region> parity);

/// A region of exactly `size` bytes that is not null and in host memory. `index` is what the message names.
Result<void> check_region(const char* operation, const ConstRegion& region, std::size_t size, std::size_t index);

/// A legal chunk size for the code.
Result<void> check_chunk_size(const Shape& shape, const char* operation, std::size_t chunk_size, std::size_t index);

/// `index` is below `limit` and not in `seen`, to which it is added.
Result<void> check_new_index(const char* operation, unsigned index, unsigned limit, ChunkSet& seen);

}  // namespace parapet::codec

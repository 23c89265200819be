#include "codec/shape_check.h"

#include <algorithm>

#include "base/try.h"

namespace parapet::codec {

namespace {

Error wrong(const char* operation, const char* reason, std::array<std::uint64_t, 3> values = {}) {
  return {ErrorCode::invalid_argument, operation, reason, values};
}

/// The usual case, asked before a check that words what is wrong.
bool is_good(const ConstRegion& region, std::size_t size) {
  return region.data != nullptr && region.size == size && region.memory.kind == MemoryKind::host;
}

Result<void> check_count(const char* operation, const char* reason, std::size_t given, std::size_t expected) {
  if (given != expected) return wrong(operation, reason, {given, expected});
  return {};
}

/// All regions that are not null have one legal size. `first_index` is the chunk index of the first one.
template <class AnyRegion>
Result<std::size_t> check_present(const Shape& shape, const char* operation, std::span<const AnyRegion> regions,
                                  std::size_t first_index) {
  std::size_t chunk_size = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (regions[i].data == nullptr) continue;
    if (chunk_size == 0) {
      PARAPET_CHECK(check_chunk_size(shape, operation, regions[i].size, first_index + i));
      chunk_size = regions[i].size;
    }
    if (!is_good(regions[i], chunk_size))
      return check_region(operation, regions[i], chunk_size, first_index + i).error();
  }
  if (chunk_size == 0) return wrong(operation, "all regions are null");
  return chunk_size;
}

}  // namespace

Result<void> check_region(const char* operation, const ConstRegion& region, std::size_t size, std::size_t index) {
  if (region.data == nullptr) return wrong(operation, "region {} is null", {index});
  if (region.memory.kind != MemoryKind::host)
    return Error{
        ErrorCode::unsupported, operation, "region {} is in device memory; copy it to the host first", {index}};
  if (region.size != size) return wrong(operation, "region {} has {} bytes, expected {}", {index, region.size, size});
  return {};
}

Result<void> check_chunk_size(const Shape& shape, const char* operation, std::size_t chunk_size, std::size_t index) {
  if (chunk_size == 0) return wrong(operation, "chunk {} is empty", {index});
  if (const std::size_t multiple = shape.chunk_size_multiple(); chunk_size % multiple != 0)
    return wrong(operation, "chunk {} has {} bytes, which is not a multiple of {}", {index, chunk_size, multiple});
  return {};
}

Result<std::size_t> check_chunks(const Shape& shape, const char* operation, std::span<const ConstRegion> data,
                                 std::size_t data_count, std::span<const Region> parity, std::size_t parity_count) {
  PARAPET_CHECK(check_count(operation, "{} input chunks were given, {} are wanted", data.size(), data_count));
  PARAPET_CHECK(check_count(operation, "{} output chunks were given, {} are wanted", parity.size(), parity_count));
  const std::size_t chunk_size = data[0].size;
  PARAPET_CHECK(check_chunk_size(shape, operation, chunk_size, 0));
  for (std::size_t i = 0; i < data.size(); ++i)
    if (!is_good(data[i], chunk_size)) return check_region(operation, data[i], chunk_size, i).error();
  for (std::size_t i = 0; i < parity.size(); ++i)
    if (!is_good(parity[i], chunk_size)) return check_region(operation, parity[i], chunk_size, data_count + i).error();
  return chunk_size;
}

Result<std::size_t> check_some_chunks(const Shape& shape, const char* operation, std::span<const ConstRegion> chunks) {
  PARAPET_CHECK(
      check_count(operation, "{} chunks were given, {} are wanted (null for missing ones)", chunks.size(), shape.n()));
  const auto is_present = [](const ConstRegion& chunk) { return chunk.data != nullptr; };
  if (std::none_of(chunks.begin(), chunks.end(), is_present))
    return Error{
        ErrorCode::too_many_losses, operation, "all {} chunks are missing; {} are needed", {shape.n(), shape.k}};
  return check_present(shape, operation, chunks, 0);
}

Result<std::size_t> check_some_parity(const Shape& shape, const char* operation, std::span<const Region> parity) {
  PARAPET_CHECK(check_count(operation, "{} parity chunks were given, {} are wanted (null for those left out)",
                            parity.size(), shape.m));
  return check_present(shape, operation, parity, shape.k);
}

Result<void> check_new_index(const char* operation, unsigned index, unsigned limit, ChunkSet& seen) {
  if (index >= limit) return wrong(operation, "index {} is out of range; there are {}", {index, limit});
  if (seen.contains(index)) return wrong(operation, "index {} was given twice", {index});
  seen.insert(index);
  return {};
}

}  // namespace parapet::codec

#include "shard/chunk_size.h"

#include <fmt/format.h>

#include <algorithm>

#include "layout/shard_header.h"

namespace parapet::shard {
namespace {

/// The rule of a code's chunk sizes.
std::string chunk_size_rule(const Code& code, const layout::Rows& rows, std::uint64_t chunk_size) {
  const std::string multiple = fmt::format("it must be a multiple of {}", rows.granule());
  if (code.packet_size() > 0)
    return fmt::format("{}: whole blocks of {} bytes and whole rounds of {} packets of {} bytes", multiple,
                       layout::block_size, code.alpha(), code.packet_size());
  if (code.alpha() == 1) return fmt::format("{}, the size of a block", multiple);
  if (chunk_size < rows.granule())
    return fmt::format("each of its {} sub-chunks would be smaller than a block of {} bytes", code.alpha(),
                       layout::block_size);
  return fmt::format("{}: {} sub-chunks of whole blocks of {} bytes", multiple, code.alpha(), layout::block_size);
}

/// The legal chunk sizes next to one that is none.
std::string nearest_chunk_sizes(const layout::Rows& rows, std::uint64_t chunk_size) {
  const std::uint64_t below =
      std::min<std::uint64_t>(chunk_size, layout::chunk_size_max) / rows.granule() * rows.granule();
  const std::uint64_t above = below + rows.granule();
  if (below == 0) return fmt::format("the smallest that fits is {}", above);
  if (above > layout::chunk_size_max) return fmt::format("the largest that fits is {}", below);
  return fmt::format("the nearest that fit are {} and {}", below, above);
}

}  // namespace

layout::Rows rows_of(const Code& code) { return {code.alpha(), code.packet_size()}; }

std::uint64_t default_chunk_size(const Code& code) {
  constexpr std::uint64_t usual = 1 << 20;
  const std::uint64_t granule = rows_of(code).granule();
  return std::max(usual / granule, std::uint64_t{1}) * granule;
}

FileResult<std::uint32_t> choose_chunk_size(const std::string& subject, const Code& code, std::uint64_t wanted) {
  const layout::Rows rows = rows_of(code);
  const std::uint64_t granule = rows.granule();
  if (granule > layout::chunk_size_max)
    return FileError{{.operation = "encode",
                      .reason = "the smallest chunk of this code has {} bytes, above the limit of {}",
                      .values = {granule, layout::chunk_size_max}},
                     subject,
                     {}};
  if (wanted == 0) wanted = default_chunk_size(code);
  if (wanted > layout::chunk_size_max)
    return FileError{{.operation = "encode",
                      .reason = "a chunk size of {} is above the limit of {}",
                      .values = {wanted, layout::chunk_size_max}},
                     subject,
                     nearest_chunk_sizes(rows, wanted)};
  if (wanted % granule != 0)
    return FileError{{.operation = "encode", .reason = "a chunk size of {} does not fit the code", .values = {wanted}},
                     subject,
                     chunk_size_rule(code, rows, wanted) + "; " + nearest_chunk_sizes(rows, wanted)};
  return static_cast<std::uint32_t>(wanted);
}

}  // namespace parapet::shard

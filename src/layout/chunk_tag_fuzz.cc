// Any bytes: decoding a tag neither crashes nor accepts what encoding would not make. The first two bytes choose the
// shape; the others are laid over a good tag by XOR and the checksum is put right, so that the fuzzer begins behind
// both.
#include <algorithm>
#include <cstring>
#include <functional>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/chunk_tag.h"

namespace {

using namespace parapet::layout;
constexpr SegmentId segment = {77};
constexpr std::uint32_t chunk = 4;
constexpr std::size_t crc_offset = 4, crc_begin = 8;

TagShape shape_of(std::uint8_t chains, std::uint8_t blocks) {
  return chains == 0 ? data_tag_shape(blocks) : parity_tag_shape(chains % holder_count_max, blocks);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const TagShape shape = shape_of(data[0], data[1]);
  std::vector<std::uint8_t> bytes(tag_size(shape));
  std::copy_n(data + 2, std::min(size - 2, bytes.size()), bytes.begin());
  (void)decode_tag(segment, chunk, shape, bytes);

  std::vector<std::uint8_t> good(bytes.size());
  encode_tag(ChunkTag(segment, chunk, shape), shape, good);
  std::ranges::transform(bytes, good, bytes.begin(), std::bit_xor{});
  const std::uint32_t crc = parapet::base::crc32c(0, bytes.data() + crc_begin, bytes.size() - crc_begin);
  std::memcpy(bytes.data() + crc_offset, &crc, sizeof crc);
  const auto tag = decode_tag(segment, chunk, shape, bytes);
  if (!tag) return 0;
  encode_tag(*tag, shape, good);
  PARAPET_ASSERT(good == bytes);
  return 0;
}

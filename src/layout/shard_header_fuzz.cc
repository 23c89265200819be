// Any bytes: decoding neither crashes nor accepts what encoding would not make. The checksum is put right first, so
// that the fuzzer reaches the checks behind it.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/shard_header.h"
#include "layout/striping.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace parapet::layout;
  (void)decode_header({data, size});

  HeaderBlock block{};
  std::memcpy(block.data(), data, std::min(size, block.size()));
  const std::uint32_t crc = parapet::base::crc32c(0, block.data(), block.size() - sizeof crc);
  std::memcpy(block.data() + block.size() - sizeof crc, &crc, sizeof crc);
  const auto header = decode_header(block);
  if (!header) return 0;
  PARAPET_ASSERT(encode_header(*header).value() == block);
  const Striping striping(*header);
  PARAPET_ASSERT(striping.shard_size() >= header_size && striping.shard_size() % block_size == 0);
  return 0;
}

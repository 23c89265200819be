// Any bytes: decoding neither crashes nor accepts what encoding would not make. The input is laid over a good
// superblock by XOR and the checksum is put right, so that the fuzzer begins behind both.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/superblock.h"

namespace {

using namespace parapet::layout;

Superblock good_superblock() {
  Superblock s;
  s.devices.resize(5);
  s.geometry = plan_geometry(1 << 30, 1 << 26, 1 << 20).value();
  s.configuration.in = {0, 1, 2};
  s.chunk_size = 1 << 20;
  s.code = "rs(3,2)";
  return s;
}

void check(const Superblock& superblock, const SuperblockBytes& bytes) {
  PARAPET_ASSERT(encode_superblock(superblock) == bytes);
  const DeviceGeometry& g = superblock.geometry;
  PARAPET_ASSERT(g.log_offset >= superblock_area_size && g.log_offset < g.table_offset);
  PARAPET_ASSERT(g.table_offset < g.space_offset && g.space_offset < g.device_size);
  PARAPET_ASSERT((g.device_size - g.space_offset) / unit_size >= g.unit_count);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)decode_superblock({data, size});

  static const SuperblockBytes good = encode_superblock(good_superblock());
  SuperblockBytes bytes = good;
  for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i) bytes[i] ^= data[i];
  const std::uint32_t crc = parapet::base::crc32c(0, bytes.data(), bytes.size() - sizeof crc);
  std::memcpy(bytes.data() + bytes.size() - sizeof crc, &crc, sizeof crc);
  const auto superblock = decode_superblock(bytes);
  if (superblock) check(*superblock, bytes);

  std::array<std::uint8_t, superblock_area_size> area{};
  std::ranges::copy(bytes, area.begin() + 2 * superblock_size);
  PARAPET_ASSERT(newest_superblock(area).has_value() == superblock.has_value());
  return 0;
}

// Any bytes: decoding a record of a reserve neither crashes nor accepts what encoding would not make. The input is laid
// over a good record by XOR and the checksum is put right, so that the fuzzer begins behind both.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/reserve_record.h"

namespace {

using namespace parapet::layout;
using Bytes = std::vector<std::uint8_t>;

constexpr SegmentId segment = {77};
constexpr std::uint32_t chunk = 4, position = 4096, chain_count = 3, chunk_size = 8192;
constexpr std::size_t buffer_size = 8192, crc_offset = 4, crc_begin = 8, size_offset = 32;

parapet::Result<ReserveRecord> decode(std::span<const std::uint8_t> bytes) {
  return decode_reserve_record(segment, chunk, position, chain_count, chunk_size, bytes);
}

Bytes good_record() {
  const Bytes zeros(192);
  const ReserveRecord record{
      .segment = segment,
      .chunk = chunk,
      .position = position,
      .from = {{1, 1}, {1, 2}, {1, 3}},
      .last = {{1, 4}, {2, 0}, {1, 3}},
      .deltas = {{0, 100, std::span(zeros).first(20)}, {1, 0, std::span(zeros).first(7)}, {0, 8000, zeros}}};
  Bytes bytes(buffer_size);
  encode_reserve_record(record, std::span(bytes).first(reserve_record_size(record)));
  return bytes;
}

/// Over as many bytes as the record says that it has.
void set_crc(Bytes& bytes) {
  std::uint32_t size;
  std::memcpy(&size, bytes.data() + size_offset, sizeof size);
  const std::size_t end = std::clamp<std::size_t>(size, crc_begin, bytes.size());
  const std::uint32_t crc = parapet::base::crc32c(0, bytes.data() + crc_begin, end - crc_begin);
  std::memcpy(bytes.data() + crc_offset, &crc, sizeof crc);
}

void check(const ReserveRecord& record, const Bytes& bytes) {
  for (const ReservedDelta& delta : record.deltas)
    PARAPET_ASSERT(delta.chain < chain_count && delta.offset + delta.bytes.size() <= chunk_size);
  Bytes again = bytes;
  encode_reserve_record(record, std::span(again).first(reserve_record_size(record)));
  PARAPET_ASSERT(again == bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)decode({data, size});

  static const Bytes good = good_record();
  Bytes bytes = good;
  for (std::size_t i = 0; i < std::min(size, bytes.size()); ++i) bytes[i] ^= data[i];
  set_crc(bytes);
  if (const auto record = decode(bytes)) check(*record, bytes);
  return 0;
}

// Any bytes: reading a record neither crashes nor accepts what sealing would not write. The input is laid over a good
// record by XOR and both checksums are put right, so that the fuzzer begins behind all three.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/log_record.h"
#include "layout/shard_header.h"

namespace {

using namespace parapet::layout;
using parapet::base::crc32c;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t buffer_size = 1024;
constexpr std::size_t crc_offset = 4, crc_begin = 8, body_crc_offset = 92;
const LogIdentity identity{.pool = {}, .ordinal = 3};

Bytes good_record() {
  RecordHeader header;
  header.lsn = header.flushed = 1 << 20;
  header.previous = header.lsn - record_alignment;
  header.id = {1, 2};
  header.list_count = 3;
  header.length = header.payload_size = 200;
  Bytes record(buffer_size);
  seal_record(identity, header, std::span(record).first(record_size(header.kind, 3, 200)));
  return record;
}

void set_crc(Bytes& record, std::size_t offset, std::uint32_t crc) {
  std::memcpy(record.data() + offset, &crc, sizeof crc);
}

void set_header_crc(Bytes& record) {
  std::uint32_t crc = crc32c(0, identity.pool.bytes.data(), identity.pool.bytes.size());
  crc = crc32c(crc, &identity.ordinal, sizeof identity.ordinal);
  set_crc(record, crc_offset, crc32c(crc, record.data() + crc_begin, record_header_size - crc_begin));
}

/// What an accepted header says is within bounds, and sealing the record again makes the same one.
void check(const RecordHeader& header, Bytes record) {
  PARAPET_ASSERT(header.lsn >= header.previous && header.lsn >= header.flushed);
  PARAPET_ASSERT(std::uint64_t{header.offset} + header.length <= chunk_size_max);
  const std::size_t size = record_size(header.kind, header.list_count, header.payload_size);
  if (!record_body_intact(header, record)) return;
  PARAPET_ASSERT(size <= record.size());
  PARAPET_ASSERT(record_list(header, record).size() + record_payload(header, record).size() <= size);
  Bytes again = record;
  seal_record(identity, header, std::span(again).first(size));
  PARAPET_ASSERT(again == record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)read_record_header(identity, {data, size});

  static const Bytes good = good_record();
  Bytes record = good;
  for (std::size_t i = 0; i < std::min(size, record.size()); ++i) record[i] ^= data[i];
  set_header_crc(record);
  const auto header = read_record_header(identity, record);
  if (!header) return 0;
  check(*header, record);

  const std::size_t body_size = record_list_size(header->kind, header->list_count) + header->payload_size;
  if (body_size > record.size() - record_header_size) return 0;
  set_crc(record, body_crc_offset, crc32c(0, record.data() + record_header_size, body_size));
  set_header_crc(record);
  check(read_record_header(identity, record).value(), record);
  return 0;
}

#include "sim/request.h"

#include <algorithm>

#include "layout/log_record.h"
#include "layout/shard_header.h"

namespace parapet::sim {
namespace {

using layout::block_size;

constexpr std::size_t run_size = 8 * block_size;

/// The most bytes of a block whose delta's record is not larger than a block.
std::size_t whole_record_length() {
  std::uint32_t length = block_size;
  while (layout::record_size(layout::RecordKind::delta, 1, length) > block_size) --length;
  return length;
}

}  // namespace

Request Request::any(const Profile& profile, std::size_t size, unsigned client, unsigned client_count,
                     base::Prng& prng) {
  const std::size_t runs = (size + run_size - 1) / run_size;
  const std::size_t run = prng.below(runs) / client_count * client_count + client;
  if (run >= runs) return {};
  const std::size_t end = std::min(size, (run + 1) * run_size);
  Request request;
  request.offset = run * run_size + prng.below(end - run * run_size);
  request.length = 1 + prng.below(std::min<std::size_t>(end - request.offset, prng.below(2) == 0 ? 600 : 20000));
  if (prng.below(2) == 0) {
    request.offset = request.offset / block_size * block_size;
    request.length = std::min(end - request.offset, (request.length + block_size - 1) / block_size * block_size);
  }
  if (prng.below(100) < profile.flush) {
    request.kind = Kind::flush;
  } else if (prng.below(4) == 0) {
    request.kind = Kind::read;
  } else {
    request.kind = Kind::write;
    if (prng.below(100) < profile.whole_records) {
      request.offset = request.offset / block_size * block_size;
      request.length = whole_record_length();
    }
  }
  return request;
}

}  // namespace parapet::sim

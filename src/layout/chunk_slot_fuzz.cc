// Any bytes: decoding a page of the chunk table neither crashes nor accepts what encoding would not make. The input is
// laid over a good page by XOR and the checksum is put right, so that the fuzzer begins behind both.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "base/crc32c.h"
#include "layout/chunk_slot.h"
#include "layout/superblock.h"

namespace {

using namespace parapet::layout;
using Slots = std::span<const ChunkSlot, slots_per_page>;
constexpr std::uint32_t page_index = 3;

TablePage good_page() {
  std::vector<ChunkSlot> slots(slots_per_page);
  for (std::size_t i = 0; i < slots_per_page; i += 2) {
    ChunkSlot& s = slots[i];
    s.state = SlotState::live;
    s.segment.value = i;
    s.chunk_size = 1 << 20;
    s.code = "rs(3,2)";
    s.devices = {4, 3, 2, 1, 0};
    s.home = {100, 18};
    s.reserve.resize(i % (reserve_extent_count_max + 1), {200, 1});
    s.members.holders = {0, 1, 2, 3};
    s.missed = {4};
  }
  return encode_table_page(page_index, Slots(slots));
}

void check(const std::vector<ChunkSlot>& slots, const TablePage& page) {
  PARAPET_ASSERT(encode_table_page(page_index, Slots(slots)) == page);
  for (const ChunkSlot& slot : slots)
    PARAPET_ASSERT(slot.state == SlotState::free || slot.chunk_size < slot.home.unit_count * std::uint64_t{unit_size});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TablePage good = good_page();
  TablePage page{};
  std::copy_n(data, std::min(size, page.size()), page.begin());
  (void)decode_table_page(page_index, page);

  for (std::size_t i = 0; i < page.size(); ++i) page[i] ^= good[i];
  const std::uint32_t crc = parapet::base::crc32c(0, page.data(), page.size() - sizeof crc);
  std::memcpy(page.data() + page.size() - sizeof crc, &crc, sizeof crc);
  if (const auto slots = decode_table_page(page_index, page)) check(*slots, page);
  return 0;
}

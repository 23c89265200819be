#include "simenv/sparse_pages.h"

#include <algorithm>
#include <cstring>

#include "simenv/trace.h"

namespace parapet::simenv {
namespace {

// Calls piece(page number, offset in the page, offset in the range, size) for each page that the range touches.
template <class Piece>
void for_each_page(std::uint64_t offset, std::size_t size, std::size_t page_size, const Piece& piece) {
  for (std::size_t done = 0; done < size;) {
    const std::uint64_t at = offset + done;
    const std::size_t inside = at % page_size;
    const std::size_t count = std::min(size - done, page_size - inside);
    piece(at / page_size, inside, done, count);
    done += count;
  }
}

}  // namespace

void SparsePages::read(std::uint64_t offset, std::span<std::uint8_t> into) const {
  for_each_page(offset, into.size(), page_size,
                [&](std::uint64_t number, std::size_t inside, std::size_t done, std::size_t count) {
                  const auto page = pages_.find(number);
                  if (page == pages_.end())
                    std::memset(into.data() + done, 0, count);
                  else
                    std::memcpy(into.data() + done, page->second->data() + inside, count);
                });
}

void SparsePages::write(std::uint64_t offset, std::span<const std::uint8_t> from) {
  for_each_page(offset, from.size(), page_size,
                [&](std::uint64_t number, std::size_t inside, std::size_t done, std::size_t count) {
                  std::memcpy(writable_page(number).data() + inside, from.data() + done, count);
                });
}

std::span<std::uint8_t> SparsePages::writable_page(std::uint64_t number) {
  std::shared_ptr<Page>& page = pages_[number];
  if (page == nullptr)
    page = std::make_shared<Page>();
  else if (page.use_count() > 1)
    page = std::make_shared<Page>(*page);
  return *page;
}

std::uint64_t SparsePages::hash() const {
  std::uint64_t hash = 0;
  for (const auto& [number, page] : pages_) {
    if (std::all_of(page->begin(), page->end(), [](std::uint8_t byte) { return byte == 0; })) continue;
    hash = mix(hash, number);
    for (std::size_t i = 0; i < page_size; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, page->data() + i, sizeof word);
      hash = mix(hash, word);
    }
  }
  return hash;
}

}  // namespace parapet::simenv

#include "gf/xor_rows.h"

#include "base/assert.h"

namespace parapet::gf {

void XorRows::add_row(std::uint32_t target, std::span<const std::uint32_t> terms) {
  PARAPET_ASSERT(!terms.empty());
  words_.push_back(target);
  words_.push_back(static_cast<std::uint32_t>(terms.size()));
  words_.insert(words_.end(), terms.begin(), terms.end());
}

void XorRows::run(std::uint8_t* const* regions, std::size_t length) const {
  kernels_->xor_rows(
      {.regions = regions, .rows = words_.data(), .rows_end = words_.data() + words_.size(), .length = length});
}

}  // namespace parapet::gf

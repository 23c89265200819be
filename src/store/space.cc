#include "store/space.h"

#include "base/assert.h"
#include "base/mutant.h"

namespace parapet::store {

std::optional<layout::Extent> Space::allocate(std::uint32_t unit_count, std::uint32_t spare) {
  if (free_count_ < unit_count + spare) return std::nullopt;
  const std::uint32_t total = this->unit_count();
  // Runs do not go round the end: the search starts at `next_` and then once from the beginning.
  for (const auto& [begin, end] : {std::pair(next_, total), std::pair(std::uint32_t{0}, total)}) {
    std::uint32_t run = 0;
    for (std::uint32_t unit = begin; unit < end; ++unit) {
      run = taken_[unit] ? 0 : run + 1;
      if (run < unit_count) continue;
      const layout::Extent extent{unit + 1 - unit_count, unit_count};
      PARAPET_ASSERT(take(extent));
      next_ = unit + 1 == total ? 0 : unit + 1;
      return extent;
    }
  }
  return std::nullopt;
}

bool Space::take(const layout::Extent& extent) {
  if (extent.first_unit > unit_count() || extent.unit_count > unit_count() - extent.first_unit) return false;
  for (std::uint32_t i = 0; i < extent.unit_count; ++i)
    if (taken_[extent.first_unit + i]) return false;
  for (std::uint32_t i = 0; i < extent.unit_count; ++i) taken_[extent.first_unit + i] = true;
  free_count_ -= extent.unit_count;
  return true;
}

void Space::give_back(const layout::Extent& extent, layout::Lsn lsn) {
  if (base::broken(base::Mutant::reuse_units_at_once)) return free_now(extent);
  leaving_.emplace_back(lsn, extent);
  leaving_count_ += extent.unit_count;
}

void Space::free_now(const layout::Extent& extent) {
  for (std::uint32_t i = 0; i < extent.unit_count; ++i) taken_[extent.first_unit + i] = false;
  free_count_ += extent.unit_count;
}

void Space::leave_untaken(std::uint32_t unit, layout::Lsn lsn) {
  if (taken_[unit]) return;
  PARAPET_ASSERT(take({unit, 1}));
  give_back({unit, 1}, lsn);
}

void Space::head_passed(layout::Lsn head) {
  while (!leaving_.empty() && leaving_.front().first < head) {
    const layout::Extent extent = leaving_.front().second;
    leaving_.pop_front();
    for (std::uint32_t i = 0; i < extent.unit_count; ++i) taken_[extent.first_unit + i] = false;
    free_count_ += extent.unit_count;
    leaving_count_ -= extent.unit_count;
  }
}

}  // namespace parapet::store

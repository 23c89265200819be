#include "simenv/power_loss.h"

namespace parapet::simenv {

RandomKeep::RandomKeep(base::Prng& prng)
    : prng_(prng), style_(prng.below(8)), sectors_per_unit_(prng.below(2) == 0 ? 1 : 8) {}

bool RandomKeep::operator()(std::size_t write_index, std::size_t sector_index) {
  if (style_ < 2) return style_ == 0;
  if (write_index != write_index_) {
    write_index_ = write_index;
    unit_ = ~std::size_t{0};
    fate_ = style_ < 4 ? Fate::torn : static_cast<Fate>(prng_.below(3));
  }
  if (fate_ != Fate::torn) return fate_ == Fate::kept;
  if (sector_index / sectors_per_unit_ != unit_) unit_kept_ = prng_.below(2) == 0;
  unit_ = sector_index / sectors_per_unit_;
  return unit_kept_;
}

}  // namespace parapet::simenv

#include "simenv/power_loss.h"

namespace parapet::simenv {

RandomKeep::RandomKeep(base::Prng& prng) : prng_(prng), style_(prng.below(8)) {}

bool RandomKeep::operator()(std::size_t write_index, std::size_t) {
  if (style_ < 2) return style_ == 0;
  if (write_index != write_index_) {
    write_index_ = write_index;
    fate_ = static_cast<Fate>(prng_.below(3));
  }
  return fate_ == Fate::torn ? prng_.below(2) == 0 : fate_ == Fate::kept;
}

}  // namespace parapet::simenv

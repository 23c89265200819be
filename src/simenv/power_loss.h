// What a power failure leaves of a disk's unflushed writes when chance decides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prng.h"
#include "simenv/disk_content.h"

namespace parapet::simenv {

/// One failure's choice. Often all or nothing; else each write is kept, lost or torn by itself, or all are torn. Torn
/// writes come apart between sectors, or between 4096-byte blocks as disks have them that emulate sectors. Asked about
/// the sectors of one write after the other, as DiskContent::lose_power does.
class RandomKeep {
 public:
  explicit RandomKeep(base::Prng& prng);
  bool operator()(std::size_t write_index, std::size_t sector_index);

 private:
  enum class Fate : std::uint8_t { kept, lost, torn };

  base::Prng& prng_;
  std::uint64_t style_;
  std::size_t sectors_per_unit_;
  std::size_t write_index_ = ~std::size_t{0};
  Fate fate_ = Fate::lost;
  std::size_t unit_ = ~std::size_t{0};  ///< Of a torn write.
  bool unit_kept_ = false;
};

}  // namespace parapet::simenv

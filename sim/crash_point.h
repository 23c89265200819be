// What the disks may hold if power fails now: one choice after the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "simenv/sim_disk.h"

namespace parapet::sim {

/// A disk's bytes after a power failure, with their hash.
struct DiskImage {
  simenv::SparsePages bytes;
  std::uint64_t hash = 0;
};
using DiskImages = std::vector<std::shared_ptr<const DiskImage>>;

/// One moment of a world. Its choices are numbered: first subsets of whole writes, all of them or, of more than eight
/// writes, some; then some with torn writes. Valid until the disks change.
class CrashPoint {
 public:
  explicit CrashPoint(std::span<const std::unique_ptr<simenv::SimDisk>> disks);

  [[nodiscard]] std::uint64_t choice_count() const;
  DiskImages images(std::uint64_t choice);

 private:
  [[nodiscard]] std::uint64_t whole_count() const;
  [[nodiscard]] std::uint64_t kept_writes(std::uint64_t choice) const;
  std::shared_ptr<const DiskImage> whole_image(std::size_t disk, std::uint64_t kept);

  std::span<const std::unique_ptr<simenv::SimDisk>> disks_;
  std::vector<std::size_t> write_counts_;  ///< By disk.
  std::size_t write_count_ = 0;
  std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<const DiskImage>> whole_images_;
};

}  // namespace parapet::sim

#include "sim/crash_point.h"

#include <algorithm>

namespace parapet::sim {
namespace {

constexpr std::size_t enumerated_writes_max = 8;
constexpr std::uint64_t sampled_whole_count = 64;
constexpr std::uint64_t torn_count = 6;

std::shared_ptr<const DiskImage> image_of(simenv::SparsePages bytes) {
  const std::uint64_t hash = bytes.hash();
  return std::make_shared<const DiskImage>(DiskImage{std::move(bytes), hash});
}

}  // namespace

CrashPoint::CrashPoint(std::span<const std::unique_ptr<simenv::SimDisk>> disks) : disks_(disks) {
  for (const auto& disk : disks) {
    write_counts_.push_back(disk->unflushed_count());
    write_count_ += write_counts_.back();
  }
}

std::uint64_t CrashPoint::whole_count() const {
  return write_count_ <= enumerated_writes_max ? std::uint64_t{1} << write_count_ : sampled_whole_count;
}

std::uint64_t CrashPoint::choice_count() const { return whole_count() + (write_count_ > 0 ? torn_count : 0); }

/// A bit for each write of all disks.
std::uint64_t CrashPoint::kept_writes(std::uint64_t choice) const {
  if (write_count_ <= enumerated_writes_max) return choice;
  if (choice == 0) return 0;
  return choice == 1 ? ~std::uint64_t{0} : base::Prng(choice)();
}

DiskImages CrashPoint::images(std::uint64_t choice) {
  DiskImages result;
  if (choice < whole_count()) {
    std::uint64_t kept = kept_writes(choice);
    for (std::size_t disk = 0; disk < disks_.size(); ++disk) {
      result.push_back(whole_image(disk, kept));
      kept >>= std::min<std::size_t>(write_counts_[disk], 63);
    }
    return result;
  }
  base::Prng prng(choice);
  for (const auto& disk : disks_)
    result.push_back(image_of(disk->durable_after([&](std::size_t, std::size_t) { return prng.below(2) == 0; })));
  return result;
}

std::shared_ptr<const DiskImage> CrashPoint::whole_image(std::size_t disk, std::uint64_t kept) {
  const std::size_t count = std::min<std::size_t>(write_counts_[disk], 63);
  kept &= (std::uint64_t{1} << count) - 1;
  auto& image = whole_images_[{disk, kept}];
  if (!image)
    image = image_of(disks_[disk]->durable_after(
        [&](std::size_t write, std::size_t) { return (kept >> std::min<std::size_t>(write, 62) & 1) != 0; }));
  return image;
}

}  // namespace parapet::sim

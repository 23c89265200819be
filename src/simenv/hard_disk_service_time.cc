// The model of a hard disk: one arm, and a cache for writes before it.
#include <algorithm>
#include <cmath>
#include <deque>

#include "simenv/service_time.h"

namespace parapet::simenv {
namespace {

using env::Time;

constexpr Time seek_min{500'000};
constexpr Time seek_max{16'000'000};
constexpr Time rotation{8'333'333};
constexpr Time command{50'000};  // What a command costs that needs no movement.
constexpr std::uint64_t media_bytes_per_second = 200'000'000;
constexpr std::uint64_t interface_bytes_per_second = 550'000'000;
constexpr std::uint64_t cache_size = 64 << 20;

Time transfer(std::uint64_t size, std::uint64_t bytes_per_second) {
  return Time(static_cast<std::int64_t>(size * 1'000'000'000 / bytes_per_second));
}

class HardDiskServiceTime : public ServiceTime {
 public:
  explicit HardDiskServiceTime(std::uint64_t disk_size) : disk_size_(disk_size) {}

  Time done_at(const env::Io& io, Time now, base::Prng& prng) override {
    forget_drained(now);
    switch (io.kind) {
      case env::Io::Kind::write:
        return cache_write(io, now, prng);
      case env::Io::Kind::flush:
        return std::max(now, cached_.empty() ? now : cached_.back().drained_at) + command;
      default:
        return use_arm(io, now, prng);
    }
  }

  void power_off() override {
    arm_free_at_ = Time(0);
    cached_.clear();
    cached_size_ = 0;
  }

 private:
  struct CachedWrite {
    Time drained_at;
    std::uint64_t size;
  };

  Time cache_write(const env::Io& io, Time now, base::Prng& prng) {
    const std::uint64_t size = io.buffer.size();
    Time accepted_at = now;
    while (!cached_.empty() && cached_size_ + size > cache_size) {
      accepted_at = cached_.front().drained_at;
      forget_drained(accepted_at);
    }
    const Time done = accepted_at + command + transfer(size, interface_bytes_per_second);
    cached_.push_back({use_arm(io, done, prng), size});
    cached_size_ += size;
    return done;
  }

  void forget_drained(Time now) {
    while (!cached_.empty() && cached_.front().drained_at <= now) {
      cached_size_ -= cached_.front().size;
      cached_.pop_front();
    }
  }

  // Moves the arm to the operation when it is free, and returns when the operation is over.
  Time use_arm(const env::Io& io, Time now, base::Prng& prng) {
    Time at = std::max(now, arm_free_at_);
    at += io.offset == arm_offset_ ? command : seek_time(io.offset) + rotation_wait(prng);
    at += transfer(io.buffer.size(), media_bytes_per_second);
    arm_offset_ = io.offset + io.buffer.size();
    return arm_free_at_ = at;
  }

  // Arms accelerate half the way: time grows with the square root of the distance. Of two random places the square root
  // of the distance, as a part of the stroke, is 8/15 on average.
  [[nodiscard]] Time seek_time(std::uint64_t to) const {
    const double distance = static_cast<double>(to > arm_offset_ ? to - arm_offset_ : arm_offset_ - to);
    const double part = std::sqrt(distance / static_cast<double>(disk_size_));
    return seek_min + Time(static_cast<std::int64_t>(part * static_cast<double>((seek_max - seek_min).count())));
  }

  static Time rotation_wait(base::Prng& prng) { return Time(prng.below(static_cast<std::uint64_t>(rotation.count()))); }

  std::uint64_t disk_size_;
  std::uint64_t arm_offset_ = 0;
  Time arm_free_at_{0};
  std::deque<CachedWrite> cached_;
  std::uint64_t cached_size_ = 0;
};

}  // namespace

std::unique_ptr<ServiceTime> hard_disk_service_time(std::uint64_t disk_size) {
  return std::make_unique<HardDiskServiceTime>(disk_size);
}

}  // namespace parapet::simenv

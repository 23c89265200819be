// The model of disks without moving parts: channels that work side by side, and one link that all bytes pass.
#include <algorithm>
#include <vector>

#include "simenv/service_time.h"

namespace parapet::simenv {
namespace {

using env::Time;

struct SolidStateFigures {
  std::size_t channels;
  Time read_latency;
  Time write_latency;
  Time flush_latency;
  std::uint64_t read_bytes_per_second;
  std::uint64_t write_bytes_per_second;
};

constexpr SolidStateFigures sata_ssd{32, Time(80'000), Time(30'000), Time(500'000), 530'000'000, 500'000'000};
constexpr SolidStateFigures nvme_ssd{128, Time(70'000), Time(15'000), Time(20'000), 6'000'000'000, 4'000'000'000};

class SolidStateServiceTime : public ServiceTime {
 public:
  explicit SolidStateServiceTime(const SolidStateFigures& figures)
      : figures_(figures), channel_free_at_(figures.channels, Time(0)) {}

  Time done_at(const env::Io& io, Time now, base::Prng&) override {
    switch (io.kind) {
      case env::Io::Kind::read:
        return transfer(io, now, figures_.read_latency, figures_.read_bytes_per_second);
      case env::Io::Kind::write:
        return last_write_done_at_ = std::max(last_write_done_at_, write(io, now));
      case env::Io::Kind::write_durable:
        return write(io, now) + figures_.flush_latency;
      case env::Io::Kind::flush:
        break;
    }
    return std::max(now, last_write_done_at_) + figures_.flush_latency;
  }

  void power_off() override {
    std::ranges::fill(channel_free_at_, Time(0));
    link_free_at_ = last_write_done_at_ = Time(0);
  }

 private:
  Time write(const env::Io& io, Time now) {
    return transfer(io, now, figures_.write_latency, figures_.write_bytes_per_second);
  }

  Time transfer(const env::Io& io, Time now, Time latency, std::uint64_t bytes_per_second) {
    const auto channel = std::min_element(channel_free_at_.begin(), channel_free_at_.end());
    const Time ready = std::max(now, *channel) + latency;
    const auto duration = static_cast<std::int64_t>(io.buffer.size() * 1'000'000'000 / bytes_per_second);
    link_free_at_ = std::max(ready, link_free_at_) + Time(duration);
    return *channel = link_free_at_;
  }

  SolidStateFigures figures_;
  std::vector<Time> channel_free_at_;
  Time link_free_at_{0};
  Time last_write_done_at_{0};
};

}  // namespace

std::unique_ptr<ServiceTime> sata_ssd_service_time() { return std::make_unique<SolidStateServiceTime>(sata_ssd); }

std::unique_ptr<ServiceTime> nvme_ssd_service_time() { return std::make_unique<SolidStateServiceTime>(nvme_ssd); }

}  // namespace parapet::simenv

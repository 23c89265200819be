#include "simenv/service_time.h"

namespace parapet::simenv {
namespace {

class RandomServiceTime : public ServiceTime {
 public:
  env::Time done_at(const env::Io&, env::Time now, base::Prng& prng) override {
    return now + env::Time(1000 + prng.below(199'001));
  }
  void power_off() override {}
};

}  // namespace

std::unique_ptr<ServiceTime> random_service_time() { return std::make_unique<RandomServiceTime>(); }

}  // namespace parapet::simenv

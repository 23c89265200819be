// The simulated world and its disks do what every world and disk does.
#include "env/disk_conformance.h"
#include "env/world_conformance.h"
#include "simenv/sim_disk.h"
#include "simenv/sim_world.h"

namespace parapet::env {
namespace {

template <std::unique_ptr<simenv::ServiceTime> (*service_time)()>
class SimHarness {
 public:
  static std::string skip_reason() { return {}; }
  World& world() { return world_; }
  std::unique_ptr<Disk> make_disk(std::uint64_t size) {
    return std::make_unique<simenv::SimDisk>(world_, size, "disk", service_time());
  }
  void run(const std::function<void()>& body) { world_.run(body); }

 private:
  simenv::SimWorld world_{1};
};

std::unique_ptr<simenv::ServiceTime> small_hard_disk() { return simenv::hard_disk_service_time(1 << 30); }

using Random = SimHarness<simenv::random_service_time>;
using HardDisk = SimHarness<small_hard_disk>;
using SataSsd = SimHarness<simenv::sata_ssd_service_time>;
using NvmeSsd = SimHarness<simenv::nvme_ssd_service_time>;

INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedRandom, DiskConformance, Random);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedHardDisk, DiskConformance, HardDisk);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedSataSsd, DiskConformance, SataSsd);
INSTANTIATE_TYPED_TEST_SUITE_P(SimulatedNvmeSsd, DiskConformance, NvmeSsd);
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, WorldConformance, Random);

}  // namespace
}  // namespace parapet::env

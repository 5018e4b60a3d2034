// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip_claims.h"

#include <algorithm>

#include "hw/timing/chip_cycles.h"

namespace podsim::hw::chip {

ChipClaims::ChipClaims(const Machine& machine, const noc::ChipSpeed& speed)
    : clock_speed_(speed.clock),
      clock_(machine.clock),
      copy_latency_(slowed(clock_.time_of(machine.dma.read_latency + machine.dma.write_latency))),
      vector_(Vector::timing(machine)),
      hbm_(std::size_t(machine.cores_per_chip), timing::HbmOccupancy(timing::at_speed(machine.hbm, speed))),
      vector_free_at_(std::size_t(machine.cores_per_chip)) {}

base::Time ChipClaims::compute(int core, base::Time ready, const VectorWork& work) {
  base::Time& free_at = vector_free_at_[std::size_t(core)];
  return free_at = std::max(ready, free_at) + compute_time(work);
}

base::Time ChipClaims::slowed(base::Time healthy) const {
  return clock_speed_ == 1 ? healthy : base::to_time(base::to_duration(healthy) / clock_speed_);
}

void ChipClaims::set_contended(bool contended) {
  for (timing::HbmOccupancy& hbm : hbm_) hbm.set_contended(contended);
}

void ChipClaims::record_idle(std::vector<std::vector<bool>>& claims) {
  claims.resize(hbm_.size());
  for (std::size_t core = 0; core < hbm_.size(); ++core) hbm_[core].record_idle(claims[core]);
}

void ChipClaims::follow_idle(const std::vector<std::vector<bool>>& claims) {
  for (std::size_t core = 0; core < hbm_.size(); ++core) hbm_[core].follow_idle(claims[core]);
}

}  // namespace podsim::hw::chip

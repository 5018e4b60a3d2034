// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/chip.h"

#include <algorithm>
#include <stdexcept>

namespace podsim::hw::chip {

Chip::Chip(sc_core::sc_module_name name, const Machine& machine, int number, const Trace& trace, const IciBinding& ici,
           double speed)
    : sc_module(name),
      number_(number),
      speed_(speed),
      clock_(machine.clock),
      host_("host", machine.host, machine.cores_per_chip, trace.below("host")),
      switch_("switch", machine.chip_switch, machine.clock, int(machine.cores_per_chip), trace.sink,
              trace.below("switch").scope),
      vector_(machine),
      hbm_(std::size_t(machine.cores_per_chip), timing::HbmOccupancy(machine.hbm, speed)),
      vector_free_at_(std::size_t(machine.cores_per_chip)) {
  transfers.bind(*this);
  if (!ici) return;
  ici_ = std::make_unique<noc::ici::IciPort>("ici", number);
  ici(*ici_);
}

core::Core& Chip::core(int) { throw std::logic_error("this chip has no cores"); }

void Chip::set_contended(bool contended) {
  contended_ = contended;
  for (timing::HbmOccupancy& hbm : hbm_) hbm.set_contended(contended);
}

void Chip::record_idle_claims(std::vector<std::vector<bool>>& claims) {
  claims.resize(hbm_.size());
  for (std::size_t core = 0; core < hbm_.size(); ++core) hbm_[core].record_idle(claims[core]);
}

void Chip::follow_idle_claims(const std::vector<std::vector<bool>>& claims) {
  for (std::size_t core = 0; core < hbm_.size(); ++core) hbm_[core].follow_idle(claims[core]);
}

base::Time Chip::claim(base::Time now, int core, Direction direction, base::Bytes bytes) {
  return occupancy(core).claim(now, direction, bytes);
}

noc::chip_switch::SwitchPassage Chip::pass(base::Time now, int from, int to, base::Bytes bytes) {
  return switch_.transfers->pass(now, from, to, bytes);
}

base::Time Chip::compute(int core, base::Time ready, const VectorWork& work) {
  base::Time& free_at = vector_free_at_[std::size_t(core)];
  return free_at = std::max(ready, free_at) + slowed(clock_.time_of(vector_.duration(work)));
}

base::Time Chip::slowed(base::Time healthy) const {
  return speed_ == 1 ? healthy : base::to_time(base::to_duration(healthy) / speed_);
}

}  // namespace podsim::hw::chip

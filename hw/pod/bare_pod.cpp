// SPDX-License-Identifier: Apache-2.0
#include "hw/pod/bare_pod.h"

namespace podsim::hw::pod {

BareChip::BareChip(const Machine& machine, double speed)
    : claims_(machine, speed), switch_(machine.chip_switch, machine.clock, int(machine.cores_per_chip)) {}

base::Time BareChip::read(base::Time now, int core, base::Bytes bytes) {
  return claims_.hbm(core).claim(now, Direction::read, bytes);
}

base::Time BareChip::write(base::Time now, int core, base::Bytes bytes) {
  return claims_.hbm(core).claim(now, Direction::write, bytes);
}

noc::chip_switch::SwitchPassage BareChip::pass(base::Time now, int from, int to, base::Bytes bytes) {
  return switch_.pass(now, from, to, bytes);
}

base::Time BareChip::compute(int core, base::Time ready, const VectorWork& work) {
  return claims_.compute(core, ready, work);
}

BarePod::BarePod(const Machine& machine, const noc::FoldedTopology& topology, const noc::Faults& faults)
    : links_(topology, machine.ici, faults) {
  for (noc::NodeId node = 0; node < topology.representatives().nodes(); ++node) {
    chips_.emplace_back(machine, faults.chip_speed(node));
  }
}

}  // namespace podsim::hw::pod

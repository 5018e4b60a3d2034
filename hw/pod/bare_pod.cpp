// SPDX-License-Identifier: Apache-2.0
#include "hw/pod/bare_pod.h"

namespace podsim::hw::pod {

BareChip::BareChip(const Machine& machine, const noc::ChipSpeed& speed)
    : claims_(machine, speed), switch_(machine.chip_switch, machine.clock, int(machine.cores_per_chip)) {}

chip::MoveEnd BareChip::move(base::Time now, const chip::Move& move) {
  return {chip::claimed_end(
      now, move, [&](int core, Direction direction) { return claims_.hbm(core).claim(now, direction, move.bytes); },
      [&] { return switch_.pass(now, move.from.core, move.to.core, move.bytes).arrival; })};
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

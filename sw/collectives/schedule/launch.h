// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "sw/target_machine.h"

/// The launch of a collective: time of the software from a core's arrival at it to the core's first action.
///
///   launch(h hosts) = compiler.collective_launch + compiler.collective_launch_doubling * log2(h)
///
/// A group within one host, of one core or of all its chips, has the first term. Three groups are measured: 4 chips of
/// one host (TPU v2) take 1.5 us, 16 chips of two hosts 14 us, 32 chips of four hosts 27 us (TPU v3), each less the
/// hops and DMAs that the model gives them. That the same is added at each doubling is seen between one, two and four
/// hosts only; further ones, and hosts of several pods, are assumed to go on like that. The range of both terms is in
/// the machine file. The launch is the same for all algorithms, so that it decides between none of them.
namespace podsim::sw::collectives::schedule {

/// Hosts that a group reaches: as many as hold the smallest box of chips around it, but no more than it has chips. A
/// pair of a collective-permute, which starts nothing together, counts as one.
std::int64_t hosts_reached(const TargetMachine& machine, const GroupSchedule& group);

base::Duration launch(const TargetMachine& machine, const GroupSchedule& group);
/// The launch of the group that takes longest to start.
base::Duration launch(const TargetMachine& machine, const CollectiveSchedule& schedule);

}  // namespace podsim::sw::collectives::schedule

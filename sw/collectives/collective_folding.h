// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "sw/collectives/collective_schedule.h"

/// Which chips may stand for others in a collective.
namespace podsim::sw::collectives {

/// When each core of the full slice reaches the collective; core c of chip n is number n * cores_per_chip + c. Empty:
/// all at time zero.
using StartTimes = std::vector<base::Time>;

/// The slice folded along every wrapped dimension under whose translations neither the start times nor what any core
/// does change: groups go over into groups, and every core sends the same messages the same ways. Positions along a
/// ring are relative, so a group may be its own translate.
noc::FoldedTopology fold_for(const CollectiveSchedule& schedule, const StartTimes& starts = {});

}  // namespace podsim::sw::collectives

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "sw/collectives/schedule/collective_schedule.h"

/// Symmetry of a collective: the dimensions along which one chip may stand for its translates.
namespace podsim::sw::collectives::schedule {

/// The time at which each core of the full slice reaches the collective; core c of chip n is number
/// n * cores_per_chip + c. Empty: time zero for all.
using StartTimes = std::vector<base::Time>;

/// Folds the slice along every wrapped dimension whose translations change neither the start times nor the actions of
/// any core: they map groups to groups, and every core sends the same messages along the same routes. Positions along a
/// ring are relative, so a group may be its own translate.
noc::FoldedTopology fold_for(const CollectiveSchedule& schedule, const StartTimes& starts = {});

}  // namespace podsim::sw::collectives::schedule

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"
#include "sw/target_machine.h"

/// How many replicas share an update of weights (hlo/spmd/propagate/weight_update_sharding.h).
namespace podsim::sw::placement {

/// An update that all cores do whole.
struct WholeUpdate {
  base::Bytes gradients;  ///< of one core, all-reduced over all cores
  base::Time time;        ///< of a core
};

/// An estimate of the time of an update that groups of `shared_by` cores share, with its collectives:
///
///   time / shared_by + reduce-scatter(gradients) in a group + all-reduce(gradients / shared_by) between groups
///                    + all-gather(gradients) in a group
///
/// each collective alone, by formula, on the best placement of groups (least_collective_time()). It leaves out what
/// every op and collective costs to start and the norms of shards. `shared_by` divides the cores of the slice; 1 is the
/// whole update.
base::Duration shared_update_time(const TargetMachine& machine, const noc::Topology& slice, const WholeUpdate& whole,
                                  std::int64_t shared_by);

/// The divisors of a number from 2 on, ascending.
std::vector<std::int64_t> divisors_above_one(std::int64_t number);

}  // namespace podsim::sw::placement

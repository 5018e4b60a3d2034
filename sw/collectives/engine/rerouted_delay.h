// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "noc/topology.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::engine {

/// An all-reduce of bf16 over all cores of a slice, with a broken cable: a link that is dead in both directions.
struct ReroutedAllReduce {
  base::Duration healthy;  ///< without it
  base::Duration delay;    ///< that rerouted messages add
  double slowdown() const { return healthy.si() > 0 ? 1 + delay / healthy : 1; }
};

/// Simulates it, by messages. On more than 256 chips the delay is that of a smaller slice: it keeps the dimension of
/// the link, of the others four chips with their wraps. Nearly as many bytes pass the link there: all of them if the
/// dimension is the first to be reduced, or one of several that come first for a part each, else the shards that the
/// later dimensions leave. The ends of the link have to be joined by other links. SimulationError if they are not.
ReroutedAllReduce rerouted_all_reduce(const TargetMachine& machine, const noc::Topology& slice, base::Bytes bytes,
                                      noc::LinkId link);

}  // namespace podsim::sw::collectives::engine

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "sw/collectives/engine/collective_run.h"
#include "sw/compiler/program.h"

/// Times of a finished collective between its cores. The topology is that of the run.
namespace podsim::sw::runtime::waits {

/// From the last core in to the last core out.
base::Time time_since_last_start(const collectives::engine::CollectiveRun& run, const noc::FoldedTopology& topology);

/// From when the last core that sends data to `core` has arrived until `core` is done: the source of a
/// collective-permute, the whole group of others. `core` is a number in the slice, `op` the run's collective.
base::Time transfer_time(const collectives::engine::CollectiveRun& run, const noc::FoldedTopology& topology,
                         const compiler::CollectiveOp& op, std::int32_t core);

}  // namespace podsim::sw::runtime::waits

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "noc/folded_topology.h"
#include "sw/compiler/program.h"

/// Times of a finished collective between its cores. The topology is that of the run.
namespace podsim::sw::runtime::waits {

/// When each simulated core, numbered chip by chip, has begun and ended one execution of a collective.
struct ExecutionTimes {
  std::vector<base::Time> starts, finishes;
};

/// From the last core in to the last core out.
base::Time time_since_last_start(const ExecutionTimes& times);

/// From when the last core that sends data to `core` has arrived until `core` is done: the source of a
/// collective-permute, the whole group of others. `core` is a number in the slice, `op` the collective.
base::Time transfer_time(const ExecutionTimes& times, const noc::FoldedTopology& topology, int cores_per_chip,
                         const compiler::CollectiveOp& op, std::int32_t core);

}  // namespace podsim::sw::runtime::waits

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/units.h"
#include "hw/machine.h"
#include "noc/topology.h"
#include "sw/compiler/op_cache.h"
#include "sw/compiler/program.h"

namespace podsim::sw::runtime {

/// The time of a step on the first core of a slice without a simulation, for programs that are run beside one: its
/// items one after another, ops as at replay detail, copies of batches that are there, collectives by their modelled
/// time (sw/collectives/engine/algorithm_choice.h). The wait for other cores and for the host is left out, and
/// what an asynchronous item does takes its time where it starts.
base::Time sequential_time(const compiler::Program& program, const hw::Machine& machine, const noc::Topology& slice,
                           compiler::OpCache* cache);

/// The modelled time of an all-reduce of some f32 numbers over all cores of a slice.
base::Time all_reduce_time(const hw::Machine& machine, const noc::Topology& slice, std::int64_t numbers);

}  // namespace podsim::sw::runtime

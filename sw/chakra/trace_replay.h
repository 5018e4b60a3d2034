// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "noc/faults.h"
#include "noc/topology.h"
#include "sw/chakra/execution_trace.h"
#include "sw/target_machine.h"

namespace podsim::sw::chakra {

struct Replay {
  base::Time duration;         ///< until the last node of the last rank has ended
  std::int32_t last_rank = 0;  ///< the rank that ends last
  base::Time compute;          ///< of that rank: sum over its compute nodes
  std::int64_t collectives = 0, transfers = 0;
  std::vector<std::string> notes;
  std::vector<std::string> warnings;  ///< about nodes whose time the trace does not say
};

/// Executes a trace on a slice, rank r on core r, from time zero. A node begins when all that it waits for has ended. A
/// rank runs at most one compute node, one memory node and one node of a type that the schema read here does not have
/// at a time. If several of a kind could begin, the first in the file does. time_of() (node_time.h) says how long each
/// runs. Collectives and transfers run on the simulated network, at message level, with the algorithm that is simulated
/// fastest for each; their durations in the trace are not used.
///
/// comm_size is the larger of a rank's operand and result. A barrier is replayed as the all-reduce of one element.
///
/// On a slice with faults links and chips are those of noc/faults.h: nodes of a slow chip take longer, memory nodes as
/// its HBM and all others as its clock says, whatever they wait for in the trace, and its ranks begin late.
///
/// Preconditions: check() finds nothing, and the slice has a core for each rank. InputError for collectives that the
/// network does not have (reduce, gather, scatter). SimulationError, with what the first waiting rank waits for, if the
/// trace comes to a halt, and with a node that would end after longest_time.
Replay replay(const ExecutionTrace& trace, const TargetMachine& machine, const noc::Topology& slice,
              const std::function<void()>& pause = {}, const noc::Faults& faults = {});

}  // namespace podsim::sw::chakra

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/pipeline/network.h"
#include "sw/target_machine.h"

namespace podsim::sw::driver {

/// Seconds that the operations of a network take on a core together with their gradients, by instruction of its graph.
/// The forward and the backward computation of the whole network (hlo/pipeline/chunk_functions.h) are compiled, without
/// the update of the weights, and the time of an op counts for the operation that its result belongs to. What is not an
/// activation, such as a weight in another type, counts for the first activation that depends on it; so an instruction
/// that is no activation has 0. A loop takes all its trips (one if their number is not known), a conditional as long as
/// its slowest branch.
///
/// The loss depends on a weight. Throws as hlo::pipeline::chunks_of() and fused() do.
std::vector<double> operation_times(const hlo::pipeline::Network& network, const TargetMachine& machine);

}  // namespace podsim::sw::driver

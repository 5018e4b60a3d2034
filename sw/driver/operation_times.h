// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/pipeline/division.h"
#include "hlo/pipeline/network.h"
#include "sw/target_machine.h"

/// Times by which a network is divided into chunks of equal length.
namespace podsim::sw::driver {

/// Seconds that the operations of a network take on a core together with their gradients, by instruction of its graph.
/// The forward and the backward computation of each chunk (hlo/pipeline/chunk_functions.h) are compiled, without the
/// update of the weights, and the time of an op counts for the operation that its result belongs to. What is not an
/// activation of the chunk, such as a weight in another type, counts for the first one that depends on it, or the first
/// one of the chunk; so an instruction that is no activation has 0. A loop takes all its trips (one if their number is
/// not known), a conditional as long as its slowest branch.
///
/// Throws as hlo::pipeline::chunks_of() and fused() do.
std::vector<double> operation_times(const hlo::pipeline::Network& network, const hlo::pipeline::Division& division,
                                    const TargetMachine& machine);

/// The division into `chunks` whose longest chunk takes least: balanced_division() by the operation_times() of the
/// network as one chunk, and again by those of the chunks that this gives, since less is fused where a chunk ends.
/// There are three trials; the one whose longest chunk is shortest as compiled is taken.
///
/// A weight reaches the loss. Throws as operation_times() and balanced_division() do.
hlo::pipeline::Division timed_division(const hlo::pipeline::Network& network, std::int64_t chunks,
                                       const TargetMachine& machine);

}  // namespace podsim::sw::driver

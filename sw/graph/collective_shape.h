// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

namespace podsim::sw {

/// The shape rule of a collective, send and recv. How many devices a group has is not known here: by what an all-gather
/// or a reduce-scatter changes its dimension is the writer's, as long as it is a whole number of times.
Shape infer_collective(const Instruction& instruction, OperandShapes operands, Computations computations);

}  // namespace podsim::sw

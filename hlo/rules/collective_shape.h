// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

namespace podsim::hlo::rules {

/// Shape rule of a collective, send and recv. The size of a group is unknown here, so the result shape of an all-gather
/// or a reduce-scatter is taken as written if its dimension differs from the operand's by a whole factor.
Shape infer_collective(const Instruction& instruction, OperandShapes operands, Computations computations);

}  // namespace podsim::hlo::rules

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

namespace podsim::sw {

/// The shape rule of an instruction of is_elementwise(): convert and stochastic-convert have the element type that
/// is written, the others the one that follows.
Shape infer_elementwise(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::sw

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

namespace podsim::hlo::rules {

/// Shape rule of an is_elementwise() instruction. The element type of convert and stochastic-convert is taken as
/// written; for the others it follows from the operands.
Shape infer_elementwise(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::hlo::rules

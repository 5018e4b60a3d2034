// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of gather and scatter (semantics in hlo/eval/gather.h).
namespace podsim::hlo::rules {

Shape infer_gather(const Instruction& instruction, OperandShapes operands);
/// Operands: n arrays, the indices, n updates. The combiner takes 2n scalars.
Shape infer_scatter(const Instruction& instruction, OperandShapes operands, Computations computations);

}  // namespace podsim::hlo::rules

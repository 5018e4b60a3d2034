// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/eval/element.h"
#include "hlo/graph.h"

namespace podsim::hlo::eval {

/// Computes one element of an elementwise instruction. A real result is in double precision and not rounded; an integer
/// result is exact within its type. `type` is the element type of the operands, for select and clamp that of operand 1.
/// Throws std::logic_error for operations that cannot be evaluated.
Element apply_elementwise(const Instruction& instruction, ElementType type, std::span<const Element> operands);

/// Evaluates an elementwise instruction on arrays and rounds to the result's type.
Literal evaluate_elementwise(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::hlo::eval

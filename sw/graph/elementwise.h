// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/element.h"
#include "sw/graph/graph.h"

namespace podsim::sw {

/// One element of an elementwise instruction: what the scalar operation means. A real result is in double precision
/// and not rounded, an integer one exact within its type. `type` is the element type of the operands, of operand 1 for
/// select and clamp. Throws std::logic_error for what cannot be evaluated, such as complex numbers.
Element apply_elementwise(const Instruction& instruction, ElementType type, std::span<const Element> operands);

/// An elementwise instruction on arrays, rounded to the result's type.
Literal evaluate_elementwise(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw

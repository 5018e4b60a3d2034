// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// One element of an elementwise instruction on exact operands, not rounded: what the scalar operation means. Floating
/// point comes out as the double-precision result, integers and predicates as HLO defines them.
/// `type` is the element type of the operands (of operand 1 for select).
double apply_elementwise(const Instruction& instruction, ElementType type, std::span<const double> operands);

/// An elementwise instruction on arrays, rounded to the result's type.
Literal evaluate_elementwise(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw

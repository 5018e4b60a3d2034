// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "hlo/literal.h"

/// Slices whose start is an operand. A slice that would reach beyond the array is moved back inside.
namespace podsim::hlo::eval {

/// Operands: the array, then a scalar start for every dimension, or all starts in one vector.
Literal evaluate_dynamic_slice(const Instruction& instruction, std::span<const Literal* const> operands);

/// Operands: the array, the update, then the starts.
Literal evaluate_dynamic_update_slice(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::hlo::eval

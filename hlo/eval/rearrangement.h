// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// True for opcodes that only rearrange values: iota, broadcast, reshape, transpose, reverse, pad, slice, concatenate.
bool is_rearrangement(Opcode opcode);

/// Evaluates such an instruction.
Literal evaluate_rearrangement(const Instruction& instruction, std::span<const Literal* const> operands);

/// set-dimension-size: the first `size` elements along the dimension. Elements that were not in use before are 0.
/// Throws std::logic_error if the size is not from 0 to the bound.
Literal evaluate_set_dimension_size(const Instruction& instruction, const Literal& operand, const Literal& size);

/// dynamic-reshape: the elements in use in other sizes, which are the operands after the first. Throws std::logic_error
/// if a size is not from 0 to its bound or there are not as many elements.
Literal evaluate_dynamic_reshape(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::hlo::eval

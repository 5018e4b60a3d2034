// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/ir/graph.h"
#include "sw/ir/literal.h"

namespace podsim::sw::ir::eval {

/// True for opcodes that only rearrange values: iota, broadcast, reshape, transpose, reverse, pad, slice, concatenate.
bool is_rearrangement(Opcode opcode);

/// Evaluates such an instruction.
Literal evaluate_rearrangement(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw::ir::eval

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// Whether an instruction only places values: iota, broadcast, reshape, transpose, reverse, pad, slice, concatenate.
bool is_rearrangement(Opcode opcode);

/// The result of such an instruction.
Literal evaluate_rearrangement(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sw/spmd/local_program.h"

namespace podsim::sw {

/// Whether a sum of addends may be the operand of an op before it is added up: add, subtract, negate and copy of
/// addends, and their product with or quotient by what is no sum.
bool is_linear(Opcode opcode);

/// Such an op on addends, whose result are addends again. Nothing where the operands are no addends of the same
/// sub-axes in the same shardings, or where a factor would have to move.
std::optional<LocalValue> partition_linear(LocalProgram& program, const Instruction& instruction,
                                           std::span<const LocalValue> operands);

}  // namespace podsim::sw

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "hlo/graph.h"
#include "sw/codegen/fusion/value.h"

/// Element-wise opcodes as operations of the vector unit.
namespace podsim::sw::codegen::fusion {

/// Writes the code of an element-wise instruction (or a select or clamp) for one register. The result of bf16
/// arithmetic is not yet rounded to bf16.
///
/// Functions that the transcendental unit does not have are expanded as sw/compiler/tiles/elementwise_cost.h says,
/// but for x / y, which is x times the unit's reciprocal of y.
Value write_operation(builder::KernelBuilder& builder, const hlo::Instruction& instruction,
                      std::span<const hlo::ElementType> types, std::span<const Value> operands);

/// True if write_operation() knows the opcode on operands of these types.
bool has_operation(const hlo::Instruction& instruction, std::span<const hlo::ElementType> types);

/// Kernel::rounding_steps of the opcode: 1 for IEEE operations, 5 for those of the transcendental unit, which is
/// accurate to two ulp (docs/isa.md), more for expansions.
double rounding_steps(hlo::Opcode opcode);

/// True if the result is an operand, a part of one or a simple whole number, so that one of bf16 needs no rounding.
bool keeps_bf16(hlo::Opcode opcode);

}  // namespace podsim::sw::codegen::fusion

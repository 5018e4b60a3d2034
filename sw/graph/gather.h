// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/literal.h"
#include "sw/graph/scalar_function.h"
#include "sw/graph/shape_rules.h"

/// gather and scatter, as XLA's operation semantics define them: index vectors lie along one dimension of the indices
/// (or are single numbers when that is one past the last), each names the corner of a slice of the operand, and the
/// other dimensions of the indices become dimensions of the result (gather) or of the updates (scatter).
namespace podsim::sw {

Shape infer_gather(const Instruction& instruction, OperandShapes operands);
/// n operands, the indices, n updates; the combiner takes 2n scalars.
Shape infer_scatter(const Instruction& instruction, OperandShapes operands, Computations computations);

/// A slice that would reach beyond the operand is moved back inside.
Literal evaluate_gather(const Instruction& instruction, const Literal& operand, const Literal& indices);

/// operand[i] = combine(operand[i], update) for every update in row-major order; those outside of the operand are left
/// out. A window that lies partly outside is left out as a whole.
Literal evaluate_scatter(const Instruction& instruction, std::span<const Literal* const> operands,
                         ScalarFunction combine);

}  // namespace podsim::sw

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/eval/scalar_function.h"
#include "hlo/graph.h"
#include "hlo/literal.h"

/// gather and scatter after XLA's operation semantics. Index vectors extend along one dimension of the indices (or are
/// single numbers if that dimension is one past the last); each is the corner of a slice of the operand. The other
/// dimensions of the indices become dimensions of the result (gather) or of the updates (scatter).
namespace podsim::hlo::eval {

/// A slice that would reach beyond the operand is moved back inside.
Literal evaluate_gather(const Instruction& instruction, const Literal& operand, const Literal& indices);

/// operand[i] = combine(operand[i], update) for every update in row-major order. An update window that is not entirely
/// inside the operand is skipped.
Literal evaluate_scatter(const Instruction& instruction, std::span<const Literal* const> operands,
                         ScalarFunction combine);

}  // namespace podsim::hlo::eval

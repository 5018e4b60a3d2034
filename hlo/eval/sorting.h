// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/eval/scalar_function.h"
#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// Sorts along one dimension so that less(a, b) holds for no later a and earlier b; several operands are permuted
/// together. The sort is stable whether or not the instruction requires it. A comparator that is not an order gives
/// some permutation.
Literal evaluate_sort(const Instruction& instruction, std::span<const Literal* const> operands, ScalarFunction less);

/// Returns the largest (or smallest) elements of the last dimension and their indices, in descending (ascending) order
/// of IEEE's totalOrder. Ties go to the lower index.
Literal evaluate_topk(const Instruction& instruction, const Literal& operand);

/// A call of 'TopK', as XLA for CPUs writes a topk: the first elements along the last dimension in the order of the
/// comparator, which compares values, then positions, and their positions.
Literal evaluate_top_k_call(const Instruction& call, const Literal& operand, ScalarFunction less);

}  // namespace podsim::hlo::eval

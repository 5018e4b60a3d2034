// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"
#include "sw/graph/scalar_function.h"

namespace podsim::sw {

/// Sorts along one dimension so that less(a, b) holds of no later a and earlier b; several operands change places
/// together. Equal elements keep their order, whether the instruction asks for it or not. A comparator that is no
/// order gives some order.
Literal evaluate_sort(const Instruction& instruction, std::span<const Literal* const> operands, ScalarFunction less);

/// The largest (or smallest) elements of the last dimension in descending (ascending) order of IEEE's totalOrder, of
/// equal ones those of lower indices, and their indices.
Literal evaluate_topk(const Instruction& instruction, const Literal& operand);

}  // namespace podsim::sw

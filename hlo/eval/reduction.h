// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/eval/scalar_function.h"
#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

using Literals = std::span<const Literal* const>;

/// Evaluates reduce over instruction.dimensions. Operands: n arrays, then n initial values; elements are combined in
/// row-major order of the arrays. Returns one array, or a tuple of n.
Literal evaluate_reduce(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// Evaluates reduce-window with the operands and results of evaluate_reduce. Padding and dilation holes are skipped:
/// they hold the initial value, which is the identity.
Literal evaluate_reduce_window(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// In each window, combines the source element into the selected element by `scatter`. The scan in row-major order of
/// the window keeps the earlier element while select(earlier, later) holds.
Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, ScalarFunction select, ScalarFunction scatter);

/// Applies the function to the operands' elements at each index.
Literal evaluate_map(const Instruction& instruction, Literals operands, ScalarFunction function);

}  // namespace podsim::hlo::eval

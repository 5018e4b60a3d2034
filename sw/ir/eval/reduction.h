// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sw/ir/eval/scalar_function.h"
#include "sw/ir/graph.h"
#include "sw/ir/literal.h"

namespace podsim::sw::ir::eval {

using Literals = std::span<const Literal* const>;

/// Evaluates reduce over instruction.dimensions. Operands: n arrays, then n initial values; elements are combined in
/// row-major order of the arrays. Returns one array, or a tuple of n.
Literal evaluate_reduce(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// Evaluates reduce-window with the operands and results of evaluate_reduce. Padding and dilation holes are skipped:
/// they hold the initial value, which is the identity.
Literal evaluate_reduce_window(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// The addition of the parts, as f64, of a combiner that adds complex numbers up. Throws std::logic_error if it does
/// anything else.
ScalarFunction sum_of_parts(const Module& module, const Computation& combiner);

/// Both, and a scatter, for sums of complex numbers: one array, and its initial value or indices and updates. The parts
/// are added up by themselves.
Literal evaluate_complex_sum(const Module& module, const Instruction& instruction, Literals operands);

/// In each window, combines the source element into the selected element by `scatter`. The scan in row-major order of
/// the window keeps the earlier element while select(earlier, later) holds.
Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, ScalarFunction select, ScalarFunction scatter);

/// Applies the function to the operands' elements at each index.
Literal evaluate_map(const Instruction& instruction, Literals operands, ScalarFunction function);

}  // namespace podsim::sw::ir::eval

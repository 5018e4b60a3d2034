// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"
#include "sw/graph/scalar_function.h"

namespace podsim::sw {

using Literals = std::span<const Literal* const>;

/// reduce over instruction.dimensions: n arrays, then n initial values, in row-major order of the operands; a tuple of
/// n results.
Literal evaluate_reduce(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// reduce-window, likewise; padding and dilation holes are left out, as they would add the initial value, the identity.
Literal evaluate_reduce_window(const Instruction& instruction, Literals operands, ScalarFunction combine);

/// For each window the element kept by `select` (the earlier stays while select(earlier, later) holds, in row-major
/// order of the window) gets the source element by `scatter`.
Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, ScalarFunction select, ScalarFunction scatter);

/// The function of the elements at each place.
Literal evaluate_map(const Instruction& instruction, Literals operands, ScalarFunction function);

}  // namespace podsim::sw

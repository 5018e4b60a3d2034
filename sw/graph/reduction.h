// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// A called computation of two scalars. When it is a single operation the result is not rounded, so that a sum over
/// many elements is rounded once, at its end.
using ScalarFunction = std::function<double(double, double)>;

/// reduce over instruction.dimensions.
Literal evaluate_reduce(const Instruction& instruction, const Literal& operand, const Literal& initial,
                        const ScalarFunction& combine);

/// reduce-window; padding and dilation holes are left out, as they would add the initial value, the identity.
Literal evaluate_reduce_window(const Instruction& instruction, const Literal& operand, const Literal& initial,
                               const ScalarFunction& combine);

/// For each window the element kept by `select` (the earlier stays while select(earlier, later) holds, in row-major
/// order of the window) gets the source element by `scatter`.
Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, const ScalarFunction& select,
                                    const ScalarFunction& scatter);

}  // namespace podsim::sw

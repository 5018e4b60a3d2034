// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// Evaluates a convolution with all window attributes, feature groups and batch groups. Products of real numbers are
/// summed in double precision and rounded to the result's type once, as in an MXU with a wide accumulator; products of
/// integers are exact. Taps in padding or dilation holes add nothing.
Literal evaluate_convolution(const Instruction& instruction, const Literal& input, const Literal& kernel);

/// Evaluates a dot with batch and contracting dimensions. Sums and rounds as evaluate_convolution.
Literal evaluate_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs);
/// `sizes` has the sizes of the groups, the same for the whole batch or those of each of its elements. What is in no
/// group is 0 in the result.
Literal evaluate_ragged_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs,
                            const Literal& sizes);

}  // namespace podsim::hlo::eval

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// Convolution with every window attribute, feature and batch groups. Products are summed in double precision and
/// rounded to the result's type once, as an MXU with a wide accumulator would, those of integers exactly; taps that
/// fall into padding or dilation holes add nothing.
Literal evaluate_convolution(const Instruction& instruction, const Literal& input, const Literal& kernel);

/// Dot with batch and contracting dimensions, summed and rounded likewise.
Literal evaluate_dot(const Instruction& instruction, const Literal& lhs, const Literal& rhs);

}  // namespace podsim::sw

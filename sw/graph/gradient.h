// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sw/graph/graph_builder.h"

namespace podsim::sw {

/// How the gradient of one value goes to another past what is computed between them: what a softmax, say, leaves for
/// the way back is then its result alone.
struct GivenGradient {
  InstructionId result = -1;
  InstructionId operand = -1;  ///< the only value of interest that the result depends on
  /// Appends what the result's gradient contributes to that of the operand, in the operand's shape and type.
  std::function<InstructionId(GraphBuilder& builder, InstructionId gradient)> rule;
};

/// Reverse-mode differentiation: appends the instructions that compute d loss / d value for each of `of`, in the shape
/// of the value, and returns their ids. What was written under op_name "x" is differentiated under "gradients/x".
///
/// A convolution's gradients are convolutions: for the input, of the result's gradient with the reversed window, the
/// strides turned into base dilation; for the kernel, of the input with the result's gradient as window, the strides
/// turned into window dilation. The gradient of a max window is select-and-scatter, where the first of equal elements
/// gets it; reduce-max shares it among equal elements; maximum and minimum give it to the second operand on a tie, so
/// that max(x, 0) has slope 0 at 0.
///
/// all-reduce is taken as the sum of every partition's value, and the loss as the sum of the partitions' losses: its
/// gradient is the all-reduce of the gradient.
///
/// compare, sign, roundings and integers have no slope; clamp has one for what it clamps only. Throws std::logic_error
/// where the loss is not a floating-point scalar or depends on a value of interest through something it cannot
/// differentiate: fusion, select-and-scatter, the initial value of a reduction, a combiner other than add, max or min,
/// a dilated max window.
///
/// `held` are instructions to take as constants, such as the maximum that a softmax subtracts, on which its value does
/// not depend. `given` are gradients that are known, in place of those of the operations.
std::vector<InstructionId> gradients(GraphBuilder& builder, InstructionId loss, std::span<const InstructionId> of,
                                     std::span<const InstructionId> held = {},
                                     std::span<const GivenGradient> given = {});

}  // namespace podsim::sw

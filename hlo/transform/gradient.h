// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/gradient/given_gradient.h"
#include "hlo/transform/gradient/no_gradient.h"

namespace podsim::hlo::transform {

using gradient::GivenGradient;
using gradient::NoGradient;

/// Reverse-mode differentiation: appends the instructions that compute d loss / d value for each value in `of`, in the
/// shape of the value, and returns their ids. The gradient of an instruction with op_name "x" has op_name
/// "gradients/x".
///
/// The gradients of a convolution are convolutions. For the input: the result's gradient with the reversed window,
/// strides becoming base dilation. For the kernel: the input with the result's gradient as window, strides becoming
/// window dilation. The gradient of a max window is a select-and-scatter, in which the first of equal elements gets it;
/// reduce-max divides it among equal elements, and maximum and minimum halve it on a tie, unless they are a relu
/// (relu.h), which has slope 0 at 0. That of abs at 0 is 1, but for distances in a log of a sum
/// (formulas/log_add_exp.h).
///
/// The gradient of a complex number is that of formulas/complex_gradient.h.
///
/// The loss of a program of several devices is the sum of their losses (gradient/collective_gradient.h). So the
/// gradient of an all-reduce is the all-reduce of the gradient.
///
/// Every opcode has a rule or a reason in gradient_answer (gradient/gradient_rules.h). compare, the sign of a real
/// number, roundings and integers have no slope. On a bound, what a clamp clamps has none. Throws std::logic_error if
/// the loss is not a floating-point scalar, and NoGradient, with the reason, if it depends on a value in `of` through
/// an operation without a rule.
///
/// `held` are instructions that count as constants, such as the maximum that a softmax subtracts, which does not affect
/// its value. `given` are gradients that replace those of the operations. `sums`, one for each value in `of` or none,
/// are gradients of other losses, to which those of this one are added as soon as they are computed; `of` are then
/// parameters.
std::vector<InstructionId> gradients(build::GraphBuilder& builder, InstructionId loss,
                                     std::span<const InstructionId> of, std::span<const InstructionId> held = {},
                                     std::span<const GivenGradient> given = {},
                                     std::span<const InstructionId> sums = {});

}  // namespace podsim::hlo::transform

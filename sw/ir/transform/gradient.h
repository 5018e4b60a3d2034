// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/ir/build/graph_builder.h"

namespace podsim::sw::ir::transform {

/// An instruction on the way from a value to the loss has no rule.
class NoGradient : public std::logic_error {
 public:
  /// `why` follows "no gradient": "of this operation".
  NoGradient(const Instruction& instruction, std::string_view why);
  const std::string& instruction() const { return name_; }

 private:
  std::string name_;
};

/// A given rule for the gradient of one value with respect to others, used instead of the operations between them. The
/// backward part of a softmax, for example, then reads only its result, and a loop can be differentiated.
struct GivenGradient {
  InstructionId result = -1;
  std::vector<InstructionId> operands;  ///< all values with requested gradients that the result depends on
  /// Appends the contributions of the result's gradient to those of the operands, in their order, shapes and types.
  std::function<std::vector<InstructionId>(build::GraphBuilder& builder, InstructionId gradient)> rule;
};

/// Reverse-mode differentiation: appends the instructions that compute d loss / d value for each value in `of`, in the
/// shape of the value, and returns their ids. The gradient of an instruction with op_name "x" has op_name
/// "gradients/x".
///
/// The gradients of a convolution are convolutions. For the input: the result's gradient with the reversed window,
/// strides becoming base dilation. For the kernel: the input with the result's gradient as window, strides becoming
/// window dilation. The gradient of a max window is a select-and-scatter, in which the first of equal elements gets it;
/// reduce-max divides it among equal elements, and maximum and minimum halve it on a tie, unless they are a relu
/// (relu.h), which has slope 0 at 0. That of abs at 0 is 1, but for distances in a log of a sum (log_add_exp.h).
///
/// The gradient of a complex number is that of complex_gradient.h.
///
/// The value of an all-reduce is the sum over all partitions, and the loss is the sum of the partitions' losses. So the
/// gradient of an all-reduce is the all-reduce of the gradient.
///
/// compare, sign, roundings and integers have no slope. On a bound, what a clamp clamps has none. Throws
/// std::logic_error if the loss is not a floating-point scalar, and NoGradient if it depends on a value in `of` through
/// any operation without a rule: fusion, select-and-scatter, sort, the sign of a complex number, the initial value of a
/// reduction, a combiner other than add, max or min, or a dilated max window, among others.
///
/// `held` are instructions that count as constants, such as the maximum that a softmax subtracts, which does not affect
/// its value. `given` are gradients that replace those of the operations. `sums`, one for each value in `of` or none,
/// are gradients of other losses, to which those of this one are added as soon as they are computed; `of` are then
/// parameters.
std::vector<InstructionId> gradients(build::GraphBuilder& builder, InstructionId loss,
                                     std::span<const InstructionId> of, std::span<const InstructionId> held = {},
                                     std::span<const GivenGradient> given = {},
                                     std::span<const InstructionId> sums = {});

}  // namespace podsim::sw::ir::transform

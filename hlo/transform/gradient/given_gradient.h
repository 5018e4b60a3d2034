// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::gradient {

/// A given rule for the gradient of one value with respect to others, used instead of the operations between them. The
/// backward part of a softmax, for example, then reads only its result, and a loop can be differentiated.
struct GivenGradient {
  InstructionId result = -1;
  std::vector<InstructionId> operands;  ///< all values with requested gradients that the result depends on
  /// Appends the contributions of the result's gradient to those of the operands, in their order, shapes and types.
  std::function<std::vector<InstructionId>(build::GraphBuilder& builder, InstructionId gradient)> rule;
};

}  // namespace podsim::hlo::transform::gradient

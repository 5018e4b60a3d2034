// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

/// Gradients of a dot, which are dots, and transposes where their dimensions are not in the operand's order.
namespace podsim::hlo::transform::formulas {

std::vector<std::int64_t> inverse_permutation(const std::vector<std::int64_t>& permutation);
/// Result dimension i is operand dimension permutation[i]; `x` itself if that changes nothing.
InstructionId permuted(build::GraphBuilder& builder, InstructionId x, std::vector<std::int64_t> permutation);

/// The product of g and rhs, or of rhs and g. Its dimensions are batch, free lhs, and the contracted ones in the
/// order of rhs; with swapped operands the contracted ones precede the free ones. The type is that of the first factor,
/// or of the gradient if that is of whole numbers.
InstructionId dot_lhs_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);
InstructionId dot_rhs_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);

}  // namespace podsim::hlo::transform::formulas

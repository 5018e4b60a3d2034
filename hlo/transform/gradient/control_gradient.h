// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

/// The gradients of instructions that call computations. loop_gradient.h has that of a loop.
namespace podsim::hlo::transform::gradient {

/// A module of the computations that the builder's instructions call, to copy from while the builder grows.
Module module_of(const build::GraphBuilder& builder);
/// Refuses the gradient if what is called draws random numbers or transfers, which it would do twice.
void require_repeatable(const Backward& s, const Module& module);

namespace of {

/// Calls and fusions have that of what they call.
Rule call;
/// A conditional with the same index. A branch computes its forward part again, and the gradients of what the operands
/// of all branches are made of; those of the other branches' operands are zeros.
Rule conditional;
/// Annotations have that of a copy, or of manual_region_gradient.h. What other custom calls compute is not known.
Rule custom_call;

}  // namespace of

}  // namespace podsim::hlo::transform::gradient

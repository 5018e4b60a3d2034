// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::rules {

/// Evaluates the batch norms as XLA defines them; the variance divides by the count. Training returns the normalised
/// values, the mean and the variance. Inference takes x, scale, offset, mean and variance. Gradient takes x, scale,
/// mean, variance and the result's gradient, and returns the gradients of x, scale and offset.
Literal evaluate_batch_norm(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::hlo::rules

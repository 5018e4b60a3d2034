// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// The batch norms as XLA defines them, of the variance that divides by the count. Training: the normalised values,
/// mean and variance. Inference: operands are x, scale, offset, mean, variance. Gradient: operands are x, scale, mean,
/// variance and the result's gradient; gives those of x, scale and offset.
Literal evaluate_batch_norm(const Instruction& instruction, std::span<const Literal* const> operands);

}  // namespace podsim::sw

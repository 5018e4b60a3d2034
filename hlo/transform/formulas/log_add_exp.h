// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::hlo::transform::formulas {

/// The distances |a - b| in max(a, b) + f(exp(-|a - b|)), the form in which frameworks write log(exp(a) + exp(b)), a
/// softplus and the entropy of a logit. The whole is smooth: where a = b, the maximum gives each half of the gradient,
/// and so the distance must have no slope, while any other |x| has slope 1 at 0. Found by users, up to `loss`: all of a
/// distance are exponentials of its negative, and there is a maximum of the two. |a| is the distance from a to 0.
std::vector<InstructionId> smooth_distances(const build::GraphBuilder& builder, InstructionId loss);

}  // namespace podsim::hlo::transform::formulas

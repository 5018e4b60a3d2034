// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// How often each computation runs in one run of the module: once for every call, in a loop as often as its trip count
/// says, which counts as one where it is unknown. Each branch of a conditional counts as if it were taken. Computations
/// that do not run one by one (executed_computations) have 0.
std::vector<double> executions(const Module& module);

}  // namespace podsim::hlo::transform

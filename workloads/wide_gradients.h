// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hlo/build/graph_builder.h"

namespace podsim::workloads {

/// Gradients that are converted from a narrower type to `type`, in `type` from the products on that compute them: what
/// a partitioner sums over cores is then in `type`, as TensorFlow's CrossShardOptimizer sums gradients that it has
/// converted. Matrix units add in f32, so products lose nothing; moves and sums behind them have `type` too. Other
/// gradients, such as those of biases, are left as they are.
std::vector<hlo::InstructionId> wide_gradients(hlo::build::GraphBuilder& builder,
                                               std::vector<hlo::InstructionId> gradients, hlo::ElementType type);

}  // namespace podsim::workloads

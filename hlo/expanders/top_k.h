// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces topk by a stable sort of values with their positions, in total order, and slices of both, as XLA's
/// decomposer does (xla/hlo/transforms/expanders, TopkDecomposer). The cost is then that of the sort.
void expand_top_k(Module& module);

}  // namespace podsim::hlo::expanders

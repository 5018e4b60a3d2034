// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::transform {

/// Puts constants and iotas that a while loop carries unchanged into its body and condition, as XLA's
/// WhileLoopConstantSinking does, so that passes see them there. JAX hands constants of a function to its loops as a
/// part of their state. The state keeps its elements. A body of several loops gets what they all carry.
void sink_constants_into_loops(Module& module);

}  // namespace podsim::hlo::transform

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::hlo::expanders {

/// Replaces all batch norms by elementwise operations and sums (transform/formulas/batch_norm.h).
void expand_batch_norms(Module& module);

}  // namespace podsim::hlo::expanders

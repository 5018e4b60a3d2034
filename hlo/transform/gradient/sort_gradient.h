// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/transform/gradient/backward.h"

namespace podsim::hlo::transform::gradient::of {

/// Each element has the gradient of where it went. The sort is done again with the positions as one more operand; what
/// sorts these positions brings the gradients back.
Rule sort;
/// Zeros, to which the gradients of the elements that were taken are scattered.
Rule topk;

}  // namespace podsim::hlo::transform::gradient::of
